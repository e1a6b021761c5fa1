// Functions that decompose and compose numbers (frexp, ldexp, ilogb, logb, nextafter, fract, modf),
// and short functions that consist of a comparison or a sum.
#ifndef SCYTHE_MATHS_NUMBER_HPP
#define SCYTHE_MATHS_NUMBER_HPP

#include "maths_log.hpp"

namespace scythe_device_library {

// |x| = m · 2^exponent with m in [1, 2), for finite numbers other than zero. `mantissa` holds the
// bits of m.
template <class T> struct taken_apart {
  bits_of<T> mantissa;
  int exponent;
};
template <class T> SCYTHE_INLINE taken_apart<T> take_apart(T x) {
  constexpr int shift = format<T>::digits + 1;
  const T size = size_of(x);
  const bool small = size < format<T>::smallest_normal;
  const bits_of<T> bits = to_bits(small ? size * power_of_two<T>(shift) : size);
  const int exponent =
      static_cast<int>(bits >> format<T>::digits) - format<T>::bias - (small ? shift : 0);
  const bits_of<T> one = static_cast<bits_of<T>>(format<T>::bias) << format<T>::digits;
  return {(bits & ((bits_of<T>(1) << format<T>::digits) - 1)) | one, exponent};
}
// Returns true for numbers that are finite and not zero.
template <class T> SCYTHE_INLINE bool has_exponent(T x) {
  return x != T(0) && size_of(x) < infinite<T>();
}

template <class T> SCYTHE_INLINE T ldexp_of_any(T x, int n) {
  const taken_apart<T> p = take_apart(x);
  // Large enough that the result is zero or infinity, and small enough that the exponent does not
  // overflow.
  constexpr int far = 8 * format<T>::bias;
  const int more = n > far ? far : (n < -far ? -far : n);
  constexpr int top = format<T>::bias + 1, bottom = -format<T>::bias - format<T>::digits - 1;
  const int wanted = p.exponent + more,
            e = wanted > top ? top : (wanted < bottom ? bottom : wanted);
  const T result = with_sign(scaled<T>(from_bits<T>(p.mantissa), e), x);
  return has_exponent(x) ? result : x;
}

template <class T> struct fraction_exponent {
  T fraction;
  int exponent;
};
template <class T> SCYTHE_INLINE fraction_exponent<T> frexp_of_any(T x) {
  const taken_apart<T> p = take_apart(x);
  const bool regular = has_exponent(x);
  return {regular ? with_sign(from_bits<T>(p.mantissa) * T(0.5), x) : x,
          regular ? p.exponent + 1 : 0};
}

template <class T> SCYTHE_INLINE int ilogb_of_any(T x) {
  const int special = x == T(0) ? -2147483647 - 1 : 2147483647;
  // SYCL uses the values of C: FP_ILOGB0 and, for NaN, FP_ILOGBNAN of the host.
  const int none = x != x ? -2147483647 - 1 : special;
  return has_exponent(x) ? take_apart(x).exponent : none;
}
template <class T> SCYTHE_INLINE T logb_of_any(T x) {
  const T special = x == T(0) ? -infinite<T>() : x * x;
  return has_exponent(x) ? static_cast<T>(take_apart(x).exponent) : special;
}

template <class T> SCYTHE_INLINE T nextafter_of_any(T x, T y) {
  const bits_of<T> bits = to_bits(x);
  const bits_of<T> stepped = (x < y) == (x > T(0)) ? bits + 1 : bits - 1;
  const bits_of<T> from_zero = (to_bits(y) & format<T>::sign) | 1;
  const T next = from_bits<T>(x == T(0) ? from_zero : stepped);
  return x != x || y != y ? x + y : (x == y ? y : next);
}

template <class T> struct whole_and_rest {
  T whole, rest;
};
template <class T> SCYTHE_INLINE T rounded_down(T x) {
  if constexpr (sizeof(T) == 4)
    return __builtin_floorf(x);
  else
    return __builtin_floor(x);
}
template <class T> SCYTHE_INLINE whole_and_rest<T> fract_of_any(T x) {
  const T whole = rounded_down(x);
  // The largest number below one. It is the result if the difference rounds up to one.
  constexpr T below_one = sizeof(T) == 4 ? T(0x1.fffffep-1) : T(0x1.fffffffffffffp-1);
  const T difference = x - whole;
  const T rest = difference > below_one ? below_one : difference;
  return {whole, size_of(x) == infinite<T>() ? with_sign(T(0), x) : (x == T(0) ? x : rest)};
}

template <class T> SCYTHE_INLINE T fdim_of_any(T x, T y) { return x <= y ? T(0) : x - y; }
// If one operand is NaN, the result is the other operand.
template <class T> SCYTHE_INLINE T fmax_of_any(T x, T y) { return x != x ? y : (x < y ? y : x); }
template <class T> SCYTHE_INLINE T fmin_of_any(T x, T y) { return x != x ? y : (y < x ? y : x); }
template <class T> SCYTHE_INLINE T maxmag_of_any(T x, T y) {
  const T a = size_of(x), b = size_of(y);
  return a > b ? x : (b > a ? y : fmax_of_any(x, y));
}
template <class T> SCYTHE_INLINE T minmag_of_any(T x, T y) {
  const T a = size_of(x), b = size_of(y);
  return a < b ? x : (b < a ? y : fmin_of_any(x, y));
}

template <class T> SCYTHE_INLINE T degrees_of_any(T x) { return x * (T(180) / constants<T>::pi); }
template <class T> SCYTHE_INLINE T radians_of_any(T x) { return x * (constants<T>::pi / T(180)); }
template <class T> SCYTHE_INLINE T step_of_any(T edge, T x) { return x < edge ? T(0) : T(1); }
template <class T> SCYTHE_INLINE T mix_of_any(T x, T y, T a) { return x + (y - x) * a; }
template <class T> SCYTHE_INLINE T mad_of_any(T x, T y, T z) { return x * y + z; }
template <class T> SCYTHE_INLINE T clamp_of_any(T x, T low, T high) {
  return fmin_of_any(fmax_of_any(x, low), high);
}
template <class T> SCYTHE_INLINE T smoothstep_of_any(T low, T high, T x) {
  const T t = clamp_of_any((x - low) / (high - low), T(0), T(1));
  return t * t * (T(3) - T(2) * t);
}
// Zeros keep their sign. The sign of a NaN is 0.
template <class T> SCYTHE_INLINE T sign_of_any(T x) {
  return x > T(0) ? T(1) : (x < T(0) ? T(-1) : (x == T(0) ? x : T(0)));
}

} // namespace scythe_device_library

#endif
