// The `native` and `half` functions, with as few operations as their precision needs.
//
// `native` functions keep about 18 bits for moderate arguments, ignore subnormal numbers, and
// reduce angles in two steps. `half` functions keep the 11 bits that SYCL requires over their whole
// domain, which is angles up to 2^16. Quotients and inverse roots carry the LLVM flag that allows
// the machine's estimates.
#ifndef SCYTHE_MATHS_NATIVE_HPP
#define SCYTHE_MATHS_NATIVE_HPP

#include "maths_log.hpp"
#include "maths_trig.hpp"

namespace scythe_device_library {

enum class precision { native, half };

SCYTHE_INLINE float fast_recip(float x) {
#pragma clang fp reciprocal(on)
  return 1.0f / x;
}
SCYTHE_INLINE float fast_divide(float x, float y) {
#pragma clang fp reciprocal(on)
  return x / y;
}
SCYTHE_INLINE float fast_rsqrt(float x) {
#pragma clang fp reciprocal(on)
  return 1.0f / __builtin_sqrtf(x);
}

template <precision P> SCYTHE_INLINE float fast_exp2(float x) {
  // Beyond these limits the result is exactly 0 or infinity.
  const float above = x < -127.0f ? -127.0f : x, c = above > 128.0f ? 128.0f : above;
  const whole<float> k = nearest(c);
  const float r = c - k.value;
  const float power = 1.0f + r * (P == precision::native ? native_exp2(r) : half_exp2(r));
  // Add k to the exponent. The factor 2^k itself would be infinite just below the upper limit.
  const float result =
      from_bits<float>(to_bits(power) + (static_cast<unsigned>(k.number) << format<float>::digits));
  return x != x ? x : result;
}

template <precision P> SCYTHE_INLINE float fast_log2(float x) {
  const split_number<float> s = split_normal(x);
  const float f = s.m - 1.0f;
  const float result = to_value(s.k) + f * (P == precision::native ? native_log2(f) : half_log2(f));
  return x > 0.0f ? result : (x == 0.0f ? -infinite<float>() : nan_value<float>());
}

template <precision P> SCYTHE_INLINE float fast_sine(float r, int n) {
  const float square = r * r;
  const float sine =
      r + r * square * (P == precision::native ? native_sin(square) : half_sin(square));
  return from_bits<float>(to_bits(sine) ^ odd_sign<float>(n));
}
// Returns x minus a multiple of pi.
template <precision P> SCYTHE_INLINE float fast_turn(float x, float multiple) {
  using C = constants<float>;
  const float r = fused(-multiple, C::pi_low, fused(-multiple, C::pi, x));
  return P == precision::native ? r : fused(-multiple, C::pi_rest, r);
}
template <precision P> SCYTHE_INLINE float fast_sin(float x) {
  const whole<float> k = nearest(x, constants<float>::one_over_pi);
  return fast_sine<P>(fast_turn<P>(x, k.value), k.number);
}
template <precision P> SCYTHE_INLINE float fast_cos(float x) {
  const whole<float> k =
      to_whole<float>((x * constants<float>::one_over_pi + 0.5f) + format<float>::rounder);
  return fast_sine<P>(fast_turn<P>(x, k.value - 0.5f), k.number);
}
template <precision P> SCYTHE_INLINE float fast_tan(float x) {
  const whole<float> k = nearest(x, 2.0f * constants<float>::one_over_pi);
  const sine_cosine<float> s = short_sincos(fast_turn<P>(x, 0.5f * k.value));
  const bool odd = (k.number & 1) != 0;
  return fast_divide(odd ? -s.cosine : s.sine, odd ? s.sine : s.cosine);
}

template <precision P> SCYTHE_INLINE float fast_exp(float x) {
  return fast_exp2<P>(x * constants<float>::log2_e);
}
template <precision P> SCYTHE_INLINE float fast_exp10(float x) {
  return fast_exp2<P>(x * constants<float>::log2_10);
}
template <precision P> SCYTHE_INLINE float fast_log(float x) {
  return fast_log2<P>(x) * constants<float>::ln2;
}
template <precision P> SCYTHE_INLINE float fast_log10(float x) {
  return fast_log2<P>(x) * 0x1.344136p-2f;
}
// The exponent multiplies the error of the logarithm. Both forms therefore use the more precise
// logarithm.
template <precision P> SCYTHE_INLINE float fast_powr(float x, float y) {
  return fast_exp2<P>(y * fast_log2<precision::native>(x));
}

} // namespace scythe_device_library

#endif
