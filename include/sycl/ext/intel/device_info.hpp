// The queries of `sycl_ext_intel_device_info`. A device answers the queries of its aspects. No
// backend has any of these aspects yet, so each query throws `errc::feature_not_supported`, as the
// extension specifies.
#ifndef SCYTHE_EXT_INTEL_DEVICE_INFO_HPP
#define SCYTHE_EXT_INTEL_DEVICE_INFO_HPP

#include <sycl/info.hpp>

#include <array>

#define SYCL_EXT_INTEL_DEVICE_INFO 6

namespace sycl::ext::intel::info::device {

#define SCYTHE_INTEL_QUESTION(name, result)                                                        \
  struct name {                                                                                    \
    using return_type = result;                                                                    \
    static constexpr const char *scythe_aspect = "ext_intel_" #name;                               \
  };
SCYTHE_INTEL_QUESTION(device_id, std::uint32_t)
SCYTHE_INTEL_QUESTION(pci_address, std::string)
SCYTHE_INTEL_QUESTION(gpu_eu_count, std::uint32_t)
SCYTHE_INTEL_QUESTION(gpu_eu_simd_width, std::uint32_t)
SCYTHE_INTEL_QUESTION(gpu_slices, std::uint32_t)
SCYTHE_INTEL_QUESTION(gpu_subslices_per_slice, std::uint32_t)
SCYTHE_INTEL_QUESTION(gpu_eu_count_per_subslice, std::uint32_t)
SCYTHE_INTEL_QUESTION(gpu_hw_threads_per_eu, std::uint32_t)
SCYTHE_INTEL_QUESTION(max_mem_bandwidth, std::uint64_t)
SCYTHE_INTEL_QUESTION(free_memory, std::uint64_t)
SCYTHE_INTEL_QUESTION(memory_clock_rate, std::uint32_t)
SCYTHE_INTEL_QUESTION(memory_bus_width, std::uint32_t)
#undef SCYTHE_INTEL_QUESTION
struct uuid {
  using return_type = std::array<unsigned char, 16>;
  static constexpr const char *scythe_aspect = "ext_intel_device_info_uuid";
};

} // namespace sycl::ext::intel::info::device

#endif
