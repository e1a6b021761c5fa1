// Device architectures: each is an aspect that only its devices have, and has that aspect's number.
#ifndef SCYTHE_EXT_ONEAPI_ARCHITECTURE_HPP
#define SCYTHE_EXT_ONEAPI_ARCHITECTURE_HPP

#include <sycl/aspect.hpp>

namespace sycl {

namespace ext::oneapi::experimental {

enum class architecture : std::uint32_t {
  x86_64 = static_cast<std::uint32_t>(aspect::ext_intel_x86_64),
#define SCYTHE_INTEL(name) intel_gpu_##name = static_cast<std::uint32_t>(aspect::ext_intel_gpu_##name),
#define SCYTHE_NVIDIA(name) nvidia_gpu_##name = static_cast<std::uint32_t>(aspect::ext_nvidia_gpu_##name),
#include <sycl/detail/architectures.def>
  intel_gpu_8_0_0 = intel_gpu_bdw,
  intel_gpu_9_0_9 = intel_gpu_skl,
  intel_gpu_9_1_9 = intel_gpu_kbl,
  intel_gpu_9_2_9 = intel_gpu_cfl,
  intel_gpu_9_3_0 = intel_gpu_apl,
  intel_gpu_9_4_0 = intel_gpu_glk,
  intel_gpu_9_5_0 = intel_gpu_whl,
  intel_gpu_9_6_0 = intel_gpu_aml,
  intel_gpu_9_7_0 = intel_gpu_cml,
  intel_gpu_11_0_0 = intel_gpu_icllp,
  intel_gpu_11_2_0 = intel_gpu_ehl,
  intel_gpu_12_0_0 = intel_gpu_tgllp,
  intel_gpu_12_10_0 = intel_gpu_dg1,
};

} // namespace ext::oneapi::experimental

namespace detail {

constexpr aspect aspect_of(ext::oneapi::experimental::architecture a) {
  return static_cast<aspect>(static_cast<std::uint32_t>(a));
}

// What is told apart when device code is compiled: the aspects of architectures. These are templates so that compilers
// look into them only where they are used.
template <class = void> constexpr bool is_architecture_aspect(aspect asked) {
  switch (asked) {
  case aspect::ext_intel_x86_64:
#define SCYTHE_INTEL(name) case aspect::ext_intel_gpu_##name:
#define SCYTHE_NVIDIA(name) case aspect::ext_nvidia_gpu_##name:
#include <sycl/detail/architectures.def>
    return true;
  default:
    return false;
  }
}

// The architecture that this pass compiles for: the driver defines its macro as 1, and a macro that nobody defined
// reads as its own name.
#define SCYTHE_TEXT_OF(expanded) #expanded
#define SCYTHE_TEXT(macro) SCYTHE_TEXT_OF(macro)
template <class = void> constexpr bool compiled_for(aspect asked) {
  switch (asked) {
  case aspect::ext_intel_x86_64:
    return *SCYTHE_TEXT(__SYCL_TARGET_INTEL_X86_64__) == '1';
#define SCYTHE_ARCHITECTURE(vendor, name, upper)                                                                       \
  case aspect::ext_##vendor##_gpu_##name:                                                                              \
    return *SCYTHE_TEXT(__SYCL_TARGET_##upper##__) == '1';
#include <sycl/detail/architectures.def>
  default:
    return false;
  }
}
// One of the texts below is "1", rather than a name, which begins with an underscore.
constexpr bool compiled_for_known_architecture() {
  const char *text = SCYTHE_TEXT(__SYCL_TARGET_INTEL_X86_64__)
#define SCYTHE_ARCHITECTURE(vendor, name, upper) " " SCYTHE_TEXT(__SYCL_TARGET_##upper##__)
#include <sycl/detail/architectures.def>
      ;
  for (bool first = true; *text; first = *text++ == ' ')
    if (first && *text == '1')
      return true;
  return false;
}
#undef SCYTHE_TEXT
#undef SCYTHE_TEXT_OF

} // namespace detail
} // namespace sycl

#endif
