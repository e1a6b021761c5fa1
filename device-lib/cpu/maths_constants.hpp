// Constants that the maths functions share. Each constant has as many parts as its users need.
// `_whole` parts have so few bits that their product with an integer of the reduction is exact.
#ifndef SCYTHE_MATHS_CONSTANTS_HPP
#define SCYTHE_MATHS_CONSTANTS_HPP

#include "maths_base.hpp"

namespace scythe_device_library {

template <class T> struct constants;

template <> struct constants<float> {
  static constexpr float ln2_whole = 0x1.62ep-1f, ln2_rest = 0x1.0bfbe8p-15f;
  static constexpr float log10_2_whole = 0x1.344p-2f, log10_2_rest = 0x1.3509f8p-18f;
  static constexpr float ln2 = 0x1.62e430p-1f;
  static constexpr float log2_e = 0x1.715476p+0f, log2_e_low = 0x1.4ae0c0p-26f;
  static constexpr float log10_e = 0x1.bcb7b2p-2f, log10_e_low = -0x1.5b235ep-27f;
  static constexpr float log2_10 = 0x1.a934f0p+1f;
  static constexpr float pi = 0x1.921fb6p+1f, pi_low = -0x1.777a5cp-24f, pi_rest = -0x1.ee59dap-49f;
  static constexpr float one_over_pi = 0x1.45f306p-2f;
  // The bits of sqrt(1/2). Mantissas between this number and its double have the smallest
  // logarithms.
  static constexpr unsigned root_half = 0x3f3504f3u;
};

template <> struct constants<double> {
  static constexpr double ln2_whole = 0x1.62e42fefa2p-1, ln2_rest = 0x1.9ef35793c7673p-41;
  static constexpr double log10_2_whole = 0x1.34413509f6p-2, log10_2_rest = 0x1.9fef311f12b36p-42;
  static constexpr double ln2 = 0x1.62e42fefa39efp-1;
  static constexpr double log2_e = 0x1.71547652b82fep+0, log2_e_low = 0x1.777d0ffda0d24p-56;
  static constexpr double log10_e = 0x1.bcb7b1526e50ep-2, log10_e_low = 0x1.95355baaafad3p-57;
  static constexpr double log2_10 = 0x1.a934f0979a371p+1;
  static constexpr double pi = 0x1.921fb54442d18p+1, pi_low = 0x1.1a62633145c07p-53,
                          pi_rest = -0x1.f1976b7ed8fbcp-109;
  static constexpr double one_over_pi = 0x1.45f306dc9c883p-2;
  static constexpr unsigned long root_half = 0x3fe6a09e667f3bcdul;
};

} // namespace scythe_device_library

#endif
