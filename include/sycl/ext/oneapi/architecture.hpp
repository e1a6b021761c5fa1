// Device architectures. Each architecture is an aspect that only its devices have, and has the
// number of that aspect.
#ifndef SCYTHE_EXT_ONEAPI_ARCHITECTURE_HPP
#define SCYTHE_EXT_ONEAPI_ARCHITECTURE_HPP

#include <sycl/aspect.hpp>

namespace sycl {

namespace ext::oneapi::experimental {

enum class architecture : std::uint32_t {
  x86_64 = static_cast<std::uint32_t>(aspect::ext_intel_x86_64),
#define SCYTHE_INTEL(name)                                                                         \
  intel_gpu_##name = static_cast<std::uint32_t>(aspect::ext_intel_gpu_##name),
#define SCYTHE_NVIDIA(name)                                                                        \
  nvidia_gpu_##name = static_cast<std::uint32_t>(aspect::ext_nvidia_gpu_##name),
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

// Architectures that are known when device code is compiled. The aspects of GPU architectures start
// at this number. Instruction-set levels of CPUs are not included.
template <class = void> constexpr bool is_architecture_aspect(aspect asked) {
  return asked == aspect::ext_intel_x86_64 || asked >= aspect::ext_intel_gpu_bdw;
}

// The macros of all architectures in one text, each followed by a blank. The driver defines the
// macro of the current pass as 1, and an undefined macro reads as its own name. It is one text,
// because every program compiles it and few use it.
#define SCYTHE_TEXT_OF(expanded) #expanded
#define SCYTHE_TEXT(macro) SCYTHE_TEXT_OF(macro)
inline constexpr const char *target_architectures = SCYTHE_TEXT(__SYCL_TARGET_INTEL_X86_64__) " "
#define SCYTHE_ARCHITECTURE(vendor, name, upper) SCYTHE_TEXT(__SYCL_TARGET_##upper##__) " "
#include <sycl/detail/architectures.def>
    ;
// These are templates, so that compilers only process them if they are used.
template <class = void> constexpr bool compiled_for(aspect asked) {
  // In the order of the texts.
  const aspect all[] = {
      aspect::ext_intel_x86_64,
#define SCYTHE_ARCHITECTURE(vendor, name, upper) aspect::ext_##vendor##_gpu_##name,
#include <sycl/detail/architectures.def>
  };
  const char *text = target_architectures;
  for (const aspect a : all) {
    if (a == asked)
      return *text == '1';
    while (*text++ != ' ') {
    }
  }
  return false;
}
constexpr bool compiled_for_known_architecture() {
  bool first = true;
  for (const char *text = target_architectures; *text; first = *text++ == ' ')
    if (first && *text == '1')
      return true;
  return false;
}
#undef SCYTHE_TEXT
#undef SCYTHE_TEXT_OF

} // namespace detail
} // namespace sycl

#endif
