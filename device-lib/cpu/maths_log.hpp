// log, log2, log10, log1p, and the inverse hyperbolic functions built on them.
//
// The argument is 2^k · (1 + f), where 1 + f is between sqrt(1/2) and sqrt(2). The logarithm of 1 +
// f is f plus a smaller tail. The first term is exact and determines the precision.
#ifndef SCYTHE_MATHS_LOG_HPP
#define SCYTHE_MATHS_LOG_HPP

#include "coefficients.hpp"
#include "maths_constants.hpp"

namespace scythe_device_library {

// Converts a small integer to floating point. Few machines can convert vectors of 64-bit integers,
// but all can add them.
SCYTHE_INLINE float to_value(int n) { return static_cast<float>(n); }
SCYTHE_INLINE double to_value(long n) {
  constexpr double magic = format<double>::rounder;
  return from_bits<double>(to_bits(magic) + static_cast<unsigned long>(n)) - magic;
}

// x = 2^k · m for positive x, including subnormal x.
template <class T> struct split_number {
  T m;
  integer_of<T> k;
};
template <class T> SCYTHE_INLINE split_number<T> split_normal(T x) {
  const bits_of<T> bits = to_bits(x);
  const integer_of<T> k =
      static_cast<integer_of<T>>(bits - constants<T>::root_half) >> format<T>::digits;
  return {from_bits<T>(bits - (static_cast<bits_of<T>>(k) << format<T>::digits)), k};
}
template <class T> SCYTHE_INLINE split_number<T> split_any(T x) {
  constexpr int shift = format<T>::digits + 1;
  const bool small = x < format<T>::smallest_normal;
  const split_number<T> s = split_normal(small ? x * power_of_two<T>(shift) : x);
  return {s.m, s.k - (small ? shift : 0)};
}

// log(1 + f) - f.
SCYTHE_INLINE float log_rest(float f) { return f * f * log_tail(f); }
SCYTHE_INLINE double log_rest(double f) {
  // The series in s has only odd terms. The rounding error of the quotient affects only the small
  // part of the result.
  const double s = f / (2.0 + f), t = s * s, half_square = 0.5 * f * f;
  return s * (half_square + t * log_ratio_tail(t)) - half_square;
}

// Returns the logarithm of 0, negative numbers, infinity and NaN, and `result` for other numbers.
template <class T> SCYTHE_INLINE T log_special(T x, T result) {
  const T positive = x == infinite<T>() ? x : result;
  return x > T(0) ? positive : (x == T(0) ? -infinite<T>() : nan_value<T>());
}

template <class T> SCYTHE_INLINE T join_log(T f, integer_of<T> k) {
  using C = constants<T>;
  const T kv = to_value(k);
  return kv * C::ln2_whole + (f + (log_rest(f) + kv * C::ln2_rest));
}

template <class T> SCYTHE_INLINE T log_of_any(T x) {
  const split_number<T> s = split_any(x);
  return log_special(x, join_log(s.m - T(1), s.k));
}

template <class T> SCYTHE_INLINE T log2_of_any(T x) {
  using C = constants<T>;
  const split_number<T> s = split_any(x);
  const T f = s.m - T(1), rest = log_rest(f);
  const T fraction = f * C::log2_e + (rest * C::log2_e + f * C::log2_e_low);
  return log_special(x, to_value(s.k) + fraction);
}

template <class T> SCYTHE_INLINE T log10_of_any(T x) {
  using C = constants<T>;
  const split_number<T> s = split_any(x);
  const T f = s.m - T(1), rest = log_rest(f), k = to_value(s.k);
  const T fraction =
      f * C::log10_e + (rest * C::log10_e + (f * C::log10_e_low + k * C::log10_2_rest));
  return log_special(x, k * C::log10_2_whole + fraction);
}

// Returns the logarithm of 2^more · (u.high + u.low) for u that is normal, zero, infinite or NaN.
template <class T> SCYTHE_INLINE T log_of_pair(pair<T> u, integer_of<T> more) {
  const split_number<T> s = split_normal(u.high);
  // For large u the low part has no effect, and 2^-k might not be representable.
  const integer_of<T> k = s.k < 100 ? s.k : 100;
  const T f = (s.m - T(1)) + u.low * power_of_two<T>(-k);
  return log_special(u.high, join_log(f, s.k + more));
}

template <class T> SCYTHE_INLINE T log1p_of_any(T x) {
  const T result = log_of_pair(exact_sum(T(1), x), 0);
  // Small numbers are their own result, which keeps the sign of zero. Infinity has no low part.
  constexpr T tiny = sizeof(T) == 4 ? T(0x1p-26) : T(0x1p-55);
  return size_of(x) < tiny || x == infinite<T>() ? x : result;
}

template <class T> SCYTHE_INLINE T asinh_of_any(T x) {
  constexpr T large = sizeof(T) == 4 ? T(0x1p14) : T(0x1p30);
  constexpr T tiny = sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-28);
  const T a = size_of(x), square = a * a;
  const pair<T> near = exact_sum(T(1), a + square / (T(1) + root(T(1) + square)));
  const bool far = a > large;
  const T result = log_of_pair<T>({far ? a : near.high, far ? T(0) : near.low}, far ? 1 : 0);
  return a < tiny ? x : with_sign(result, x);
}

template <class T> SCYTHE_INLINE T acosh_of_any(T x) {
  constexpr T large = sizeof(T) == 4 ? T(0x1p14) : T(0x1p30);
  const T t = x - T(1);
  const pair<T> near = exact_sum(T(1), t + root(t * (t + T(2))));
  const bool far = x > large;
  const T result = log_of_pair<T>({far ? x : near.high, far ? T(0) : near.low}, far ? 1 : 0);
  return x < T(1) ? nan_value<T>() : result;
}

template <class T> SCYTHE_INLINE T atanh_of_any(T x) {
  constexpr T tiny = sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-28);
  const T a = size_of(x);
  const T result = T(0.5) * log_of_pair(exact_sum(T(1), T(2) * a / (T(1) - a)), 0);
  const T ended = a == T(1) ? infinite<T>() : result;
  return a < tiny ? x : with_sign(ended, x);
}

} // namespace scythe_device_library

#endif
