// Exact remainders and gamma functions for targets without a C library.
//
// Remainders are computed bit by bit in integer arithmetic and are exact. Gamma is Lanczos' sum
// with 9 terms, in double for both precisions. Relative errors are below 1e-13. Near the zeros of
// lgamma, its absolute errors are below 1e-13.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_REMAINDERS_GAMMA_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_REMAINDERS_GAMMA_HPP

#include "../cpu/maths_exp.hpp"
#include "../cpu/maths_log.hpp"
#include "../cpu/maths_number.hpp"
#include "../cpu/maths_power.hpp"
#include "../cpu/maths_trig.hpp"

namespace scythe_device_library {

template <class T> struct number_form;
template <> struct number_form<float> {
  using bits = unsigned int;
  static constexpr int fraction = 23;
};
template <> struct number_form<double> {
  using bits = unsigned long;
  static constexpr int fraction = 52;
};

// The remainder of |x| divided by |y|, rounded towards zero, and the low bits of the quotient. Both
// numbers must be finite, and y must not be 0.
template <class T> struct long_division {
  T rest;
  unsigned quotient;
};
template <class T> inline long_division<T> divide_long(T x, T y) {
  using B = typename number_form<T>::bits;
  constexpr int fraction = number_form<T>::fraction;
  constexpr B one = B(1) << fraction;
  const B a = __builtin_bit_cast(B, x), b = __builtin_bit_cast(B, y);
  if (a == 0)
    return {x, 0};
  // Normalises subnormal numbers. Their exponents are below those of normal numbers.
  const auto normal = [](B bits, int &exponent) {
    exponent = static_cast<int>(bits >> fraction);
    B whole = exponent ? (bits & (one - 1)) | one : bits;
    exponent += exponent == 0;
    for (; whole < one; --exponent)
      whole <<= 1;
    return whole;
  };
  int ea, eb;
  B ma = normal(a, ea);
  const B mb = normal(b, eb);
  if (ea < eb)
    return {x, 0};
  unsigned quotient = 0;
  for (int step = ea - eb; step >= 0; --step) {
    quotient <<= 1;
    if (ma >= mb) {
      ma -= mb;
      quotient |= 1;
    }
    if (step > 0)
      ma <<= 1;
  }
  if (ma == 0)
    return {T(0), quotient};
  for (; ma < one; --eb)
    ma <<= 1;
  const B rest = eb > 0 ? (ma & (one - 1)) | (static_cast<B>(eb) << fraction) : ma >> (1 - eb);
  return {__builtin_bit_cast(T, rest), quotient};
}

template <class T> inline T abs_of_number(T x) {
  using B = typename number_form<T>::bits;
  return __builtin_bit_cast(T, static_cast<B>(__builtin_bit_cast(B, x) << 1 >> 1));
}
inline float with_sign_of(float x, float y) { return __builtin_copysignf(x, y); }
inline double with_sign_of(double x, double y) { return __builtin_copysign(x, y); }

template <class T> inline bool has_no_remainder(T x, T y) {
  return x != x || y != y || __builtin_isinf(x) || y == T(0);
}

template <class T> inline T fmod_of_any(T x, T y) {
  if (has_no_remainder(x, y))
    return (x * y) / (x * y);
  if (__builtin_isinf(y))
    return x;
  return with_sign_of(divide_long(abs_of_number(x), abs_of_number(y)).rest, x);
}

// The quotient is rounded to the nearest integer, and ties go to the even one. OpenCL requires the
// 7 lowest bits, CUDA returns 3.
template <class T> inline T remquo_of_any(T x, T y, int &quotient) {
  quotient = 0;
  if (has_no_remainder(x, y))
    return (x * y) / (x * y);
  if (__builtin_isinf(y))
    return x;
  const T size = abs_of_number(y);
  auto parts = divide_long(abs_of_number(x), size);
  const T other = size - parts.rest;
  T rest = parts.rest;
  // The difference is exact in the cases that decide, where the remainder is at least half the
  // divisor.
  if (rest > other || (rest == other && (parts.quotient & 1) != 0)) {
    rest = -other;
    ++parts.quotient;
  }
  const int low = static_cast<int>(parts.quotient & 127);
  quotient = __builtin_signbit(x) != __builtin_signbit(y) ? -low : low;
  return __builtin_signbit(x) ? -rest : rest;
}
template <class T> inline T remainder_of_any(T x, T y) {
  int quotient;
  return remquo_of_any(x, y, quotient);
}

constexpr double half_log_two_pi = 0.91893853320467274178, lanczos_shift = 7.5;

// Lanczos' sum for gamma of x + 1.
inline double lanczos_sum(double x) {
  constexpr double terms[] = {676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                              -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                              9.9843695780195716e-6, 1.5056327351493116e-7};
  double sum = 0.99999999999980993;
  for (int i = 0; i < 8; ++i)
    sum += terms[i] / (x + (i + 1));
  return sum;
}

inline double log_gamma_from_half(double x) {
  const double y = x - 1, t = y + lanczos_shift;
  return half_log_two_pi + (y + 0.5) * log_of_any(t) - t + log_of_any(lanczos_sum(y));
}

inline double lgamma_in_double(double x) {
  constexpr double pi = 3.14159265358979323846;
  if (x != x)
    return x;
  if (__builtin_isinf(x))
    return __builtin_inf();
  if (x >= 0.5)
    return x == 1 || x == 2 ? 0.0 : log_gamma_from_half(x);
  // Reflection: gamma(x) gamma(1 - x) = pi / sin(pi x).
  const double sine = sinpi_of_any(x);
  return sine == 0 ? __builtin_inf()
                   : log_of_any(pi / __builtin_fabs(sine)) - log_gamma_from_half(1 - x);
}

inline double gamma_from_half(double x) {
  constexpr double root_two_pi = 2.50662827463100050242;
  const double y = x - 1, t = y + lanczos_shift;
  // Compute the power in two halves, because the whole power overflows double before gamma does.
  const double root = pow_of_any(t, (y + 0.5) / 2);
  return root_two_pi * root * exp_of_any(-t) * root * lanczos_sum(y);
}

inline double tgamma_in_double(double x) {
  constexpr double pi = 3.14159265358979323846;
  if (x != x || x == __builtin_inf())
    return x;
  if (x == 0)
    return __builtin_copysign(__builtin_inf(), x);
  if (x >= 0.5)
    return gamma_from_half(x);
  const double sine = sinpi_of_any(x);
  return sine == 0 || __builtin_isinf(x) ? __builtin_nan("") : pi / (sine * gamma_from_half(1 - x));
}

inline double lgamma_of_any(double x) { return lgamma_in_double(x); }
inline float lgamma_of_any(float x) { return static_cast<float>(lgamma_in_double(x)); }
inline double tgamma_of_any(double x) { return tgamma_in_double(x); }
inline float tgamma_of_any(float x) { return static_cast<float>(tgamma_in_double(x)); }

} // namespace scythe_device_library

#endif
