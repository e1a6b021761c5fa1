// The number of registers of a work-item as a property of kernels: `maximum_registers` and the
// older `grf_size` (`sycl_ext_intel_maximum_registers`, `sycl_ext_intel_grf_size`).
//
// On NVIDIA GPUs, `maximum_registers` is the limit of the code for each work-item, where 255 is the
// largest number. The other properties, and other devices, leave the choice to the compiler.
#ifndef SCYTHE_EXT_INTEL_EXPERIMENTAL_GRF_SIZE_PROPERTIES_HPP
#define SCYTHE_EXT_INTEL_EXPERIMENTAL_GRF_SIZE_PROPERTIES_HPP

#include <sycl/ext/oneapi/kernel_properties.hpp>

namespace sycl::ext::intel::experimental {

struct grf_size_key {
  template <unsigned Size> struct value_t {
    static_assert(Size == 128 || Size == 256, "grf_size: the size must be 128 or 256");
    using key_t = grf_size_key;
    static constexpr unsigned value = Size;
  };
};
struct grf_size_automatic_key {
  struct value_t {
    using key_t = grf_size_automatic_key;
  };
};
struct maximum_registers_key {
  template <unsigned Size> struct value_t {
    static_assert(Size > 0, "maximum_registers: the number must not be zero");
    using key_t = maximum_registers_key;
    static constexpr unsigned value = Size;
    // The name of LLVM's attribute.
    static constexpr const char *meta_name = "nvvm.maxnreg";
    static constexpr const char *meta_value =
        sycl::detail::numbers_text<(Size < 255 ? Size : 255)>::value;
  };
};
struct maximum_registers_automatic_key {
  struct value_t {
    using key_t = maximum_registers_automatic_key;
  };
};

template <unsigned Size> inline constexpr grf_size_key::value_t<Size> grf_size{};
inline constexpr grf_size_automatic_key::value_t grf_size_automatic{};
template <unsigned Size> inline constexpr maximum_registers_key::value_t<Size> maximum_registers{};
inline constexpr maximum_registers_automatic_key::value_t maximum_registers_automatic{};

} // namespace sycl::ext::intel::experimental

#endif
