// Device architectures (`sycl_ext_oneapi_device_architecture`). Each architecture that Scythe
// compiles for is an aspect that only its devices have, and has the number of that aspect.
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
  // Architectures of the extension that no target of Scythe has. No device has these numbers.
  unknown = 2000,
  intel_cpu_spr = 2010,
  intel_cpu_gnr,
  intel_cpu_dmr,
  intel_gpu_bmg_g31 = 2020,
  intel_gpu_wcl,
  intel_gpu_nvl_s,
  intel_gpu_nvl_u,
  intel_gpu_nvl_p,
  intel_gpu_cri,
  amd_gpu_gfx700 = 2100,
  amd_gpu_gfx701,
  amd_gpu_gfx702,
  amd_gpu_gfx703,
  amd_gpu_gfx704,
  amd_gpu_gfx705,
  amd_gpu_gfx801,
  amd_gpu_gfx802,
  amd_gpu_gfx803,
  amd_gpu_gfx805,
  amd_gpu_gfx810,
  amd_gpu_gfx900,
  amd_gpu_gfx902,
  amd_gpu_gfx904,
  amd_gpu_gfx906,
  amd_gpu_gfx908,
  amd_gpu_gfx909,
  amd_gpu_gfx90a,
  amd_gpu_gfx90c,
  amd_gpu_gfx940,
  amd_gpu_gfx941,
  amd_gpu_gfx942,
  amd_gpu_gfx1010,
  amd_gpu_gfx1011,
  amd_gpu_gfx1012,
  amd_gpu_gfx1013,
  amd_gpu_gfx1030,
  amd_gpu_gfx1031,
  amd_gpu_gfx1032,
  amd_gpu_gfx1033,
  amd_gpu_gfx1034,
  amd_gpu_gfx1035,
  amd_gpu_gfx1036,
  amd_gpu_gfx1100,
  amd_gpu_gfx1101,
  amd_gpu_gfx1102,
  amd_gpu_gfx1103,
  amd_gpu_gfx1150,
  amd_gpu_gfx1151,
  amd_gpu_gfx1200,
  amd_gpu_gfx1201,
  // Other names.
  intel_gpu_bxt = intel_gpu_apl,
  intel_gpu_icl = intel_gpu_icllp,
  intel_gpu_jsl = intel_gpu_ehl,
  intel_gpu_tgl = intel_gpu_tgllp,
  intel_gpu_dg2_g10 = intel_gpu_acm_g10,
  intel_gpu_dg2_g11 = intel_gpu_acm_g11,
  intel_gpu_dg2_g12 = intel_gpu_acm_g12,
  intel_gpu_mtl_s = intel_gpu_mtl_u,
  intel_gpu_arl_u = intel_gpu_mtl_u,
  intel_gpu_arl_s = intel_gpu_mtl_u,
  intel_gpu_nvl_hx = intel_gpu_nvl_s,
  intel_gpu_nvl_ul = intel_gpu_nvl_s,
  intel_gpu_nvl_h = intel_gpu_nvl_u,
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
  intel_gpu_12_1_0 = intel_gpu_rkl,
  intel_gpu_12_2_0 = intel_gpu_adl_s,
  intel_gpu_12_3_0 = intel_gpu_adl_p,
  intel_gpu_12_4_0 = intel_gpu_adl_n,
  intel_gpu_12_10_0 = intel_gpu_dg1,
  intel_gpu_12_55_8 = intel_gpu_acm_g10,
  intel_gpu_12_56_5 = intel_gpu_acm_g11,
  intel_gpu_12_57_0 = intel_gpu_acm_g12,
  intel_gpu_12_60_7 = intel_gpu_pvc,
  intel_gpu_12_61_7 = intel_gpu_pvc_vg,
  intel_gpu_12_70_4 = intel_gpu_mtl_u,
  intel_gpu_12_71_4 = intel_gpu_mtl_h,
  intel_gpu_12_74_4 = intel_gpu_arl_h,
  intel_gpu_20_1_4 = intel_gpu_bmg_g21,
  intel_gpu_20_2_0 = intel_gpu_bmg_g31,
  intel_gpu_20_4_4 = intel_gpu_lnl_m,
  intel_gpu_30_0_4 = intel_gpu_ptl_h,
  intel_gpu_30_1_1 = intel_gpu_ptl_u,
  intel_gpu_30_3_0 = intel_gpu_wcl,
  intel_gpu_30_4_0 = intel_gpu_nvl_s,
  intel_gpu_30_5_0 = intel_gpu_nvl_u,
  intel_gpu_35_10_0 = intel_gpu_nvl_p,
  intel_gpu_35_11_0 = intel_gpu_cri,
};

// The families of GPUs. Architectures of one family are ordered.
enum class arch_category { intel_gpu, nvidia_gpu, amd_gpu };

namespace info::device {
struct architecture;
}

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

// All architectures, in ascending order within each family. This is a template, so that compilers
// only process it if it is used.
template <class A = ext::oneapi::experimental::architecture> struct ordered_architectures {
  static constexpr A all[] = {A::x86_64,
                              A::intel_cpu_spr,
                              A::intel_cpu_gnr,
                              A::intel_cpu_dmr,
                              A::intel_gpu_bdw,
                              A::intel_gpu_skl,
                              A::intel_gpu_kbl,
                              A::intel_gpu_cfl,
                              A::intel_gpu_apl,
                              A::intel_gpu_glk,
                              A::intel_gpu_whl,
                              A::intel_gpu_aml,
                              A::intel_gpu_cml,
                              A::intel_gpu_icllp,
                              A::intel_gpu_lkf,
                              A::intel_gpu_ehl,
                              A::intel_gpu_tgllp,
                              A::intel_gpu_rkl,
                              A::intel_gpu_adl_s,
                              A::intel_gpu_rpl_s,
                              A::intel_gpu_adl_p,
                              A::intel_gpu_adl_n,
                              A::intel_gpu_dg1,
                              A::intel_gpu_acm_g10,
                              A::intel_gpu_acm_g11,
                              A::intel_gpu_acm_g12,
                              A::intel_gpu_pvc,
                              A::intel_gpu_pvc_vg,
                              A::intel_gpu_mtl_u,
                              A::intel_gpu_mtl_h,
                              A::intel_gpu_arl_h,
                              A::intel_gpu_bmg_g21,
                              A::intel_gpu_bmg_g31,
                              A::intel_gpu_lnl_m,
                              A::intel_gpu_ptl_h,
                              A::intel_gpu_ptl_u,
                              A::intel_gpu_wcl,
                              A::intel_gpu_nvl_s,
                              A::intel_gpu_nvl_u,
                              A::intel_gpu_nvl_p,
                              A::intel_gpu_cri,
                              A::nvidia_gpu_sm_50,
                              A::nvidia_gpu_sm_52,
                              A::nvidia_gpu_sm_53,
                              A::nvidia_gpu_sm_60,
                              A::nvidia_gpu_sm_61,
                              A::nvidia_gpu_sm_62,
                              A::nvidia_gpu_sm_70,
                              A::nvidia_gpu_sm_72,
                              A::nvidia_gpu_sm_75,
                              A::nvidia_gpu_sm_80,
                              A::nvidia_gpu_sm_86,
                              A::nvidia_gpu_sm_87,
                              A::nvidia_gpu_sm_89,
                              A::nvidia_gpu_sm_90,
                              A::nvidia_gpu_sm_90a,
                              A::nvidia_gpu_sm_100,
                              A::nvidia_gpu_sm_100a,
                              A::nvidia_gpu_sm_101,
                              A::nvidia_gpu_sm_103,
                              A::nvidia_gpu_sm_110,
                              A::nvidia_gpu_sm_120,
                              A::nvidia_gpu_sm_120a,
                              A::nvidia_gpu_sm_121,
                              A::amd_gpu_gfx700,
                              A::amd_gpu_gfx701,
                              A::amd_gpu_gfx702,
                              A::amd_gpu_gfx703,
                              A::amd_gpu_gfx704,
                              A::amd_gpu_gfx705,
                              A::amd_gpu_gfx801,
                              A::amd_gpu_gfx802,
                              A::amd_gpu_gfx803,
                              A::amd_gpu_gfx805,
                              A::amd_gpu_gfx810,
                              A::amd_gpu_gfx900,
                              A::amd_gpu_gfx902,
                              A::amd_gpu_gfx904,
                              A::amd_gpu_gfx906,
                              A::amd_gpu_gfx908,
                              A::amd_gpu_gfx909,
                              A::amd_gpu_gfx90a,
                              A::amd_gpu_gfx90c,
                              A::amd_gpu_gfx940,
                              A::amd_gpu_gfx941,
                              A::amd_gpu_gfx942,
                              A::amd_gpu_gfx1010,
                              A::amd_gpu_gfx1011,
                              A::amd_gpu_gfx1012,
                              A::amd_gpu_gfx1013,
                              A::amd_gpu_gfx1030,
                              A::amd_gpu_gfx1031,
                              A::amd_gpu_gfx1032,
                              A::amd_gpu_gfx1033,
                              A::amd_gpu_gfx1034,
                              A::amd_gpu_gfx1035,
                              A::amd_gpu_gfx1036,
                              A::amd_gpu_gfx1100,
                              A::amd_gpu_gfx1101,
                              A::amd_gpu_gfx1102,
                              A::amd_gpu_gfx1103,
                              A::amd_gpu_gfx1150,
                              A::amd_gpu_gfx1151,
                              A::amd_gpu_gfx1200,
                              A::amd_gpu_gfx1201};
  static constexpr int count = sizeof(all) / sizeof(A);
  static constexpr int place(A asked) {
    int i = 0;
    while (i < count && all[i] != asked)
      ++i;
    return i;
  }
  // The number of the family, or -1 for CPUs.
  static constexpr int family(A asked) {
    const int at = place(asked);
    return at < place(A::intel_gpu_bdw)      ? -1
           : at < place(A::nvidia_gpu_sm_50) ? 0
           : at < place(A::amd_gpu_gfx700)   ? 1
                                             : 2;
  }
};

} // namespace detail

namespace ext::oneapi::experimental::info::device {
struct architecture {
  using return_type = experimental::architecture;
  template <class Device> static return_type scythe_query(const Device &d) {
    for (const return_type a : sycl::detail::ordered_architectures<return_type>::all)
      if (d.has(sycl::detail::aspect_of(a)))
        return a;
    return return_type::unknown;
  }
};
} // namespace ext::oneapi::experimental::info::device

} // namespace sycl

#endif
