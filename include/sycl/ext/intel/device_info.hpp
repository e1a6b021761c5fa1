// The queries of `sycl_ext_intel_device_info`, and of `sycl_ext_intel_queue_index`. A device
// answers the queries of its aspects. Other queries throw `errc::feature_not_supported`.
#ifndef SCYTHE_EXT_INTEL_DEVICE_INFO_HPP
#define SCYTHE_EXT_INTEL_DEVICE_INFO_HPP

#include <sycl/info.hpp>

#include <array>

namespace sycl::ext::intel::info::device {

using sycl::detail::u32_param;
using sycl::detail::u64_param;

struct device_id : u32_param<SCYTHE_DEVICE_ID> {};
struct pci_address : sycl::detail::string_param<SCYTHE_DEVICE_PCI_ADDRESS> {};
struct uuid : sycl::detail::param<SCYTHE_DEVICE_UUID, std::array<unsigned char, 16>> {};
struct free_memory : u64_param<SCYTHE_DEVICE_FREE_MEMORY> {};             // bytes
struct memory_clock_rate : u32_param<SCYTHE_DEVICE_MEMORY_CLOCK_RATE> {}; // MHz
struct memory_bus_width : u32_param<SCYTHE_DEVICE_MEMORY_BUS_WIDTH> {};   // bits
struct max_mem_bandwidth : u64_param<SCYTHE_DEVICE_MAX_MEM_BANDWIDTH> {}; // bytes per second
struct gpu_eu_count : u32_param<SCYTHE_DEVICE_GPU_EU_COUNT> {};
struct gpu_slices : u32_param<SCYTHE_DEVICE_GPU_SLICES> {};
struct gpu_subslices_per_slice : u32_param<SCYTHE_DEVICE_GPU_SUBSLICES_PER_SLICE> {};
struct gpu_eu_count_per_subslice : u32_param<SCYTHE_DEVICE_GPU_EU_COUNT_PER_SUBSLICE> {};
struct gpu_hw_threads_per_eu : u32_param<SCYTHE_DEVICE_GPU_HW_THREADS_PER_EU> {};
// No driver reports this number.
struct gpu_eu_simd_width {
  using return_type = std::uint32_t;
  static constexpr const char *scythe_aspect = "ext_intel_gpu_eu_simd_width";
};
// The number of values that the queue property `compute_index` may have.
struct max_compute_queue_indices {
  using return_type = int;
  template <class Device> static return_type scythe_query(const Device &) { return 1; }
};

} // namespace sycl::ext::intel::info::device

#endif
