// The building blocks of the maths functions: bit patterns, polynomials, powers of two, and pairs
// of numbers.
//
// The functions of the `maths_*.hpp` files have no branches and no calls. A kernel that is widened
// to one work-item per vector lane therefore runs them in vector registers. They select between
// computed values with `?:`. They assume rounding to nearest. Where possible, special values need
// no extra code: comparisons are written so that a NaN falls through to the arithmetic, which
// propagates it.
//
// Sums of products in polynomials are fused if the machine supports it. The results stay within
// their error limits with and without fusion. Code whose correctness depends on the fused form
// calls `fused`, which is slow on a machine without fused multiply-add.
#ifndef SCYTHE_MATHS_BASE_HPP
#define SCYTHE_MATHS_BASE_HPP

#pragma clang fp contract(on)

#define SCYTHE_INLINE inline __attribute__((always_inline))

namespace scythe_device_library {

template <class T> struct format;
template <> struct format<float> {
  using bits = unsigned;
  using integer = int;
  static constexpr int digits = 23;
  static constexpr int bias = 127;
  static constexpr bits sign = 0x80000000u;
  static constexpr bits infinity = 0x7f800000u;
  // Adding this to a number whose magnitude is below 2^22 leaves the nearest integer in the low
  // bits.
  static constexpr float rounder = 0x1.8p23f;
  static constexpr float smallest_normal = 0x1p-126f;
};
template <> struct format<double> {
  using bits = unsigned long;
  using integer = long;
  static constexpr int digits = 52;
  static constexpr int bias = 1023;
  static constexpr bits sign = 0x8000000000000000ul;
  static constexpr bits infinity = 0x7ff0000000000000ul;
  static constexpr double rounder = 0x1.8p52;
  static constexpr double smallest_normal = 0x1p-1022;
};

template <class T> using bits_of = typename format<T>::bits;
template <class T> using integer_of = typename format<T>::integer;

template <class T> SCYTHE_INLINE bits_of<T> to_bits(T x) {
  return __builtin_bit_cast(bits_of<T>, x);
}
template <class T> SCYTHE_INLINE T from_bits(bits_of<T> b) { return __builtin_bit_cast(T, b); }
template <class T> SCYTHE_INLINE T nan_value() {
  return from_bits<T>(format<T>::infinity | (format<T>::infinity >> 1));
}
template <class T> SCYTHE_INLINE T infinite() { return from_bits<T>(format<T>::infinity); }

SCYTHE_INLINE float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
SCYTHE_INLINE double fused(double x, double y, double z) { return __builtin_fma(x, y, z); }
SCYTHE_INLINE float root(float x) { return __builtin_sqrtf(x); }
SCYTHE_INLINE double root(double x) { return __builtin_sqrt(x); }
SCYTHE_INLINE float size_of(float x) { return __builtin_fabsf(x); }
SCYTHE_INLINE double size_of(double x) { return __builtin_fabs(x); }
SCYTHE_INLINE float with_sign(float x, float y) { return __builtin_copysignf(x, y); }
SCYTHE_INLINE double with_sign(double x, double y) { return __builtin_copysign(x, y); }

// Computes c0 + c1 x + c2 x² + …. The even and the odd terms are independent, which halves the
// latency.
template <class T> SCYTHE_INLINE T nested(T, T a) { return a; }
template <class T> SCYTHE_INLINE T nested(T x2, T a, T) { return a; }
template <class T, class... Rest> SCYTHE_INLINE T nested(T x2, T a, T, T c, Rest... rest) {
  return nested(x2, c, rest...) * x2 + a;
}
template <class T> SCYTHE_INLINE T polynomial(T, T a) { return a; }
template <class T> SCYTHE_INLINE T polynomial(T x, T a, T b) { return b * x + a; }
template <class T> SCYTHE_INLINE T polynomial(T x, T a, T b, T c) { return (c * x + b) * x + a; }
template <class T, class... Rest>
SCYTHE_INLINE T polynomial(T x, T a, T b, T c, T d, Rest... rest) {
  const T x2 = x * x;
  return nested(x2, b, c, d, rest...) * x + nested(x2, a, b, c, d, rest...);
}

// The nearest integer of a number whose magnitude is below 2^22 (float) or 2^51 (double), both as a
// floating-point number and as an integer.
template <class T> struct whole {
  T value;
  integer_of<T> number;
};
template <class T> SCYTHE_INLINE whole<T> to_whole(T shifted) {
  constexpr T magic = format<T>::rounder;
  return {shifted - magic,
          static_cast<integer_of<T>>(to_bits(shifted) - __builtin_bit_cast(bits_of<T>, magic))};
}
template <class T> SCYTHE_INLINE whole<T> nearest(T x) {
  return to_whole<T>(x + format<T>::rounder);
}
// Returns the nearest integer to x · y.
template <class T> SCYTHE_INLINE whole<T> nearest(T x, T y) {
  return to_whole<T>(x * y + format<T>::rounder);
}

// Returns 2^n for the exponents of normal numbers.
template <class T> SCYTHE_INLINE T power_of_two(integer_of<T> n) {
  return from_bits<T>(static_cast<bits_of<T>>(n + format<T>::bias) << format<T>::digits);
}
// Returns x · 2^n, rounded once, for any n that two factors can reach.
template <class T> SCYTHE_INLINE T scaled(T x, integer_of<T> n) {
  const integer_of<T> half = n >> 1;
  return x * power_of_two<T>(half) * power_of_two<T>(n - half);
}

// A number in two parts. The second part is below half a unit in the last place of the first part.
template <class T> struct pair {
  T high, low;
};
// Returns the sum of two numbers. The first number must have the larger magnitude.
template <class T> SCYTHE_INLINE pair<T> quick_sum(T a, T b) {
  const T high = a + b;
  return {high, b - (high - a)};
}
template <class T> SCYTHE_INLINE pair<T> exact_sum(T a, T b) {
  const T high = a + b, part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}
template <class T> SCYTHE_INLINE pair<T> exact_product(T a, T b) {
  const T high = a * b;
  return {high, fused(a, b, -high)};
}
template <class T> SCYTHE_INLINE pair<T> product(pair<T> a, pair<T> b) {
  const pair<T> p = exact_product(a.high, b.high);
  return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
template <class T> SCYTHE_INLINE pair<T> sum(pair<T> a, pair<T> b) {
  const pair<T> s = exact_sum(a.high, b.high);
  return quick_sum(s.high, s.low + (a.low + b.low));
}

} // namespace scythe_device_library

#endif
