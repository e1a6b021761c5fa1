// The queries about kernels of `sycl_ext_intel_kernel_queries`.
#ifndef SCYTHE_EXT_INTEL_INFO_KERNEL_DEVICE_SPECIFIC_HPP
#define SCYTHE_EXT_INTEL_INFO_KERNEL_DEVICE_SPECIFIC_HPP

#include <sycl/aspect.hpp>
#include <sycl/exception.hpp>

namespace sycl::ext::intel::info::kernel_device_specific {

// The bytes of memory for spilled registers, on devices with `aspect::ext_intel_spill_memory_size`.
struct spill_memory_size {
  using return_type = std::size_t;
  using scythe_asks_kernel = void;
  template <class Access, class Kernel, class Device>
  static return_type scythe_ask(const Kernel &k, const Device &d) {
    if (!d.has(aspect::ext_intel_spill_memory_size))
      sycl::detail::fail(errc::feature_not_supported,
                         "sycl_ext_intel_kernel_queries: device '%s' lacks "
                         "aspect::ext_intel_spill_memory_size, which spill_memory_size requires",
                         Access::label(d).c_str());
    return Access::device_facts(k, d).spill_bytes;
  }
};

} // namespace sycl::ext::intel::info::kernel_device_specific

#endif
