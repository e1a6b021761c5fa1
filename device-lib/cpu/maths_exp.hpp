// exp, exp2, exp10, expm1, and the hyperbolic functions built on them.
//
// The argument is n·ln 2 + r, and |r| is at most ln(2)/2. A polynomial gives exp(r). 2^n scales it
// in two factors, so that results are rounded once, including subnormal results.
#ifndef SCYTHE_MATHS_EXP_HPP
#define SCYTHE_MATHS_EXP_HPP

#include "coefficients.hpp"
#include "maths_constants.hpp"

namespace scythe_device_library {

template <class T> struct exp_range;
template <> struct exp_range<float> {
  static constexpr float exp_low = -104.0f, exp_high = 89.0f;
  static constexpr float exp2_low = -151.0f, exp2_high = 129.0f;
  static constexpr float exp10_low = -46.0f, exp10_high = 39.0f;
  // Below this limit, expm1 is -1.
  static constexpr float expm1_low = -18.0f;
  // From this limit on, tanh is 1.
  static constexpr float tanh_high = 10.0f;
  // Below this limit, sinh(x) = x.
  static constexpr float tiny = 0x1p-13f;
};
template <> struct exp_range<double> {
  static constexpr double exp_low = -746.0, exp_high = 710.0;
  static constexpr double exp2_low = -1076.0, exp2_high = 1025.0;
  static constexpr double exp10_low = -325.0, exp10_high = 309.0;
  static constexpr double expm1_low = -38.0;
  static constexpr double tanh_high = 20.0;
  static constexpr double tiny = 0x1p-28;
};

template <class T> SCYTHE_INLINE T confined(T x, T low, T high) {
  const T above = x < low ? low : x;
  return above > high ? high : above;
}

// exp(x) = (1 + rest) · 2^n.
template <class T> struct exp_parts {
  T rest;
  integer_of<T> n;
};
// `more` is added to the argument after the reduction, when it still affects the result.
template <class T> SCYTHE_INLINE exp_parts<T> split_exp(T x, T more = T(0)) {
  using C = constants<T>;
  const whole<T> k = nearest(x, C::log2_e);
  const T r = (x - k.value * C::ln2_whole) + (more - k.value * C::ln2_rest);
  return {r + r * r * exp_tail(r), k.number};
}

template <class T> SCYTHE_INLINE T exp_of_any(T x) {
  using R = exp_range<T>;
  const exp_parts<T> e = split_exp(confined(x, R::exp_low, R::exp_high));
  return scaled(T(1) + e.rest, e.n);
}

template <class T> SCYTHE_INLINE T exp2_of_any(T x) {
  using R = exp_range<T>;
  const T c = confined(x, R::exp2_low, R::exp2_high);
  const whole<T> k = nearest(c);
  const T r = c - k.value;
  return scaled(T(1) + r * exp2_tail(r), k.number);
}

template <class T> SCYTHE_INLINE T exp10_of_any(T x) {
  using C = constants<T>;
  using R = exp_range<T>;
  const T c = confined(x, R::exp10_low, R::exp10_high);
  const whole<T> k = nearest(c, C::log2_10);
  const T r = (c - k.value * C::log10_2_whole) - k.value * C::log10_2_rest;
  return scaled(T(1) + r * exp10_tail(r), k.number);
}

template <class T> SCYTHE_INLINE T expm1_of_any(T x) {
  using R = exp_range<T>;
  const exp_parts<T> e = split_exp(confined(x, R::expm1_low, R::exp_high));
  // Compute half of the result first, because 2^n itself may overflow.
  const T half_power = power_of_two<T>(e.n - 1);
  const T result = (half_power * e.rest + (half_power - T(0.5))) * T(2);
  // Small numbers are their own result. This also keeps the sign of zero.
  return size_of(x) < R::tiny * R::tiny ? x : result;
}

// exp(|x|)/2 and exp(-|x|)/2.
template <class T> struct halves {
  T growing, falling;
};
template <class T> SCYTHE_INLINE halves<T> half_exps(T size) {
  const exp_parts<T> e =
      split_exp(size > exp_range<T>::exp_high + T(1) ? exp_range<T>::exp_high + T(1) : size);
  const T growing = scaled(T(1) + e.rest, e.n - 1);
  return {growing, T(0.25) / growing};
}

template <class T> SCYTHE_INLINE T sinh_of_any(T x) {
  const T size = size_of(x), square = x * x;
  const halves<T> e = half_exps(size);
  const T large = with_sign(e.growing - e.falling, x);
  const T small = x + x * square * sinh_tail(square);
  return size < T(1) ? (size < exp_range<T>::tiny ? x : small) : large;
}

template <class T> SCYTHE_INLINE T cosh_of_any(T x) {
  const halves<T> e = half_exps(size_of(x));
  return e.growing + e.falling;
}

template <class T> SCYTHE_INLINE T tanh_of_any(T x) {
  using R = exp_range<T>;
  const T size = size_of(x), square = x * x;
  const exp_parts<T> e = split_exp(T(2) * (size > R::tanh_high ? R::tanh_high : size));
  const T large = T(1) - T(2) / (scaled(T(1) + e.rest, e.n) + T(1));
  const T small = x + x * square * tanh_tail(square);
  return size < T(0.625) ? (size < R::tiny ? x : small) : with_sign(large, x);
}

} // namespace scythe_device_library

#endif
