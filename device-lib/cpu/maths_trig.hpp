// sin, cos, tan, their forms in units of pi, and sincos.
//
// The reduction subtracts the nearest multiple of pi (of pi/2 for tan) in three parts. `fused`
// makes each product exact for arguments up to `turn_limit`. Above this limit, the reduction
// multiplies the mantissa by the relevant bits of 2/pi in integer arithmetic. That loop is the only
// control flow in this file. Vector code skips a loop that no lane enters, so it only pays for the
// loop when a lane needs it.
#ifndef SCYTHE_MATHS_TRIG_HPP
#define SCYTHE_MATHS_TRIG_HPP

#include "coefficients.hpp"
#include "maths_constants.hpp"

namespace scythe_device_library {

template <class T> constexpr T turn_limit = T(0x1p17);
template <> inline constexpr double turn_limit<double> = 0x1p27;

// An angle r + quadrant · pi/2. |r| is at most slightly above pi/4.
template <class T> struct angle {
  T r;
  unsigned quadrant;
};

// Returns the high word of (a, b) shifted left by `count`, which is 0 to 31.
SCYTHE_INLINE unsigned funnel(unsigned a, unsigned b, unsigned count) {
  return (a << count) | ((b >> 1) >> (31u - count));
}

// The fraction of a quarter turn in words. The first word is signed.
struct quarter_fraction {
  unsigned w0, w1, w2, w3;
};
SCYTHE_INLINE void to_angle(quarter_fraction f, float &r) {
  const double sum =
      static_cast<double>(static_cast<int>(f.w0)) + static_cast<double>(f.w1) * 0x1p-32;
  r = static_cast<float>(sum * (0x1p-32 * 0x1.921fb54442d18p+0));
}
SCYTHE_INLINE void to_angle(quarter_fraction f, double &r) {
  const pair<double> high =
      exact_sum(static_cast<double>(static_cast<int>(f.w0)), static_cast<double>(f.w1) * 0x1p-32);
  const double low = static_cast<double>(f.w2) * 0x1p-64 + static_cast<double>(f.w3) * 0x1p-96;
  const pair<double> all = quick_sum(high.high, high.low + low);
  r = product(all, pair<double>{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}).high * 0x1p-32;
}

// Reduces a positive number that is at least `turn_limit`.
template <class T> SCYTHE_INLINE angle<T> reduce_huge(T x) {
  // This many words of 2/pi leave enough bits for the argument closest to a multiple of pi/2.
  constexpr int words = sizeof(T) == 4 ? 4 : 7;
  const bits_of<T> bits = to_bits(x);
  const int exponent =
      static_cast<int>(bits >> format<T>::digits) - format<T>::bias - format<T>::digits;
  const unsigned long mantissa =
      (bits & ((bits_of<T>(1) << format<T>::digits) - 1)) | (bits_of<T>(1) << format<T>::digits);
  // Words before `first` only add multiples of four quarters.
  const int first = ((exponent - 2) >> 5) + 2;
  const unsigned shift = static_cast<unsigned>(exponent - 2) & 31u;
  const unsigned long m0 = mantissa & 0xffffffffu, m1 = mantissa >> 32;
  unsigned long carry = 0;
  unsigned d0 = 0, d1 = 0, d2 = 0, d3 = 0, d4 = 0;
#pragma clang loop unroll(disable) vectorize(disable)
  for (int i = words - 1; i >= 0; --i) {
    const unsigned long word = two_over_pi[first + i];
    const unsigned long t = m0 * word + (carry & 0xffffffffu);
    carry = (carry >> 32) + (t >> 32) + m1 * word;
    d4 = d3;
    d3 = d2;
    d2 = d1;
    d1 = d0;
    d0 = static_cast<unsigned>(t);
  }
  // The top two bits are the quadrant. The bits below are the fraction.
  const unsigned h0 = funnel(d0, d1, shift), h1 = funnel(d1, d2, shift), h2 = funnel(d2, d3, shift),
                 h3 = funnel(d3, d4, shift);
  const quarter_fraction f = {h0 << 2 | h1 >> 30, h1 << 2 | h2 >> 30, h2 << 2 | h3 >> 30, h3 << 2};
  angle<T> a;
  to_angle(f, a.r);
  a.quadrant = (h0 >> 30) + (f.w0 >> 31);
  return a;
}

// An angle r plus a multiple of pi. |r| is at most slightly above pi/2. `flip` is the sign bit if
// the multiple is odd.
template <class T> struct half_turn {
  T r;
  bits_of<T> flip;
};

template <class T> SCYTHE_INLINE T less_pi(T x, T multiple) {
  using C = constants<T>;
  return fused(-multiple, C::pi_rest, fused(-multiple, C::pi_low, fused(-multiple, C::pi, x)));
}
template <class T> SCYTHE_INLINE bits_of<T> odd_sign(integer_of<T> n) {
  return static_cast<bits_of<T>>(n) << (sizeof(T) * 8 - 1);
}

// Converts the quadrant form of |x| to the input of `sine_of_turn` for sin(x) (quadrant 0) or
// cos(x) (quadrant 1).
template <class T> SCYTHE_INLINE half_turn<T> from_quadrant(angle<T> a, unsigned more) {
  const unsigned q = a.quadrant + more;
  return {(q & 1u) != 0 ? T(0.5) * constants<T>::pi - size_of(a.r) : a.r,
          static_cast<bits_of<T>>(q & 2u) << (sizeof(T) * 8 - 2)};
}

template <class T> SCYTHE_INLINE T sine_of_turn(half_turn<T> a) {
  const T square = a.r * a.r;
  const T sine = a.r + a.r * square * sin_tail(square);
  return from_bits<T>(to_bits(sine) ^ a.flip);
}

template <class T> SCYTHE_INLINE T sin_of_any(T x) {
  const T size = size_of(x);
  const whole<T> k = nearest(x, constants<T>::one_over_pi);
  half_turn<T> a = {less_pi(x, k.value), odd_sign<T>(k.number)};
  if (size >= turn_limit<T>) {
#pragma clang loop unroll(disable) vectorize(disable)
    for (bits_of<T> parity = 0; parity < 2; ++parity)
      if ((to_bits(x) & 1) == parity) {
        a = from_quadrant(reduce_huge(size), 0);
        a.flip ^= to_bits(x) & format<T>::sign;
      }
  }
  const T sine = sine_of_turn(a);
  // The reduction would lose the sign of zero.
  return size == infinite<T>() ? nan_value<T>() : (x == T(0) ? x : sine);
}

template <class T> SCYTHE_INLINE T cos_of_any(T x) {
  const T size = size_of(x);
  const whole<T> k = to_whole<T>((size * constants<T>::one_over_pi + T(0.5)) + format<T>::rounder);
  // cos(x) = sin(x + pi/2). The multiples lie halfway between those of pi.
  half_turn<T> a = {less_pi(size, k.value - T(0.5)), odd_sign<T>(k.number)};
  if (size >= turn_limit<T>) {
#pragma clang loop unroll(disable) vectorize(disable)
    for (bits_of<T> parity = 0; parity < 2; ++parity)
      if ((to_bits(x) & 1) == parity)
        a = from_quadrant(reduce_huge(size), 1);
  }
  const T cosine = sine_of_turn(a);
  return size == infinite<T>() ? nan_value<T>() : cosine;
}

template <class T> SCYTHE_INLINE angle<T> quadrant_of(T size) {
  const whole<T> k = nearest(size, T(2) * constants<T>::one_over_pi);
  angle<T> a = {less_pi(size, T(0.5) * k.value), static_cast<unsigned>(k.number)};
  if (size >= turn_limit<T>) {
#pragma clang loop unroll(disable) vectorize(disable)
    for (bits_of<T> parity = 0; parity < 2; ++parity)
      if ((to_bits(size) & 1) == parity)
        a = reduce_huge(size);
  }
  return a;
}

template <class T> struct sine_cosine {
  T sine, cosine;
};
// Computes sine and cosine of an angle of at most pi/4.
template <class T> SCYTHE_INLINE sine_cosine<T> short_sincos(T r) {
  const T square = r * r;
  return {r + r * square * sin_short_tail(square),
          T(1) - (T(0.5) * square - square * square * cos_short_tail(square))};
}

template <class T> SCYTHE_INLINE T tan_of_any(T x) {
  const T size = size_of(x);
  const angle<T> a = quadrant_of(size);
  const sine_cosine<T> s = short_sincos(a.r);
  const bool odd = (a.quadrant & 1u) != 0;
  const T tangent = (odd ? -s.cosine : s.sine) / (odd ? s.sine : s.cosine);
  const T result = from_bits<T>(to_bits(tangent) ^ (to_bits(x) & format<T>::sign));
  return size == infinite<T>() ? nan_value<T>() : result;
}

template <class T> SCYTHE_INLINE sine_cosine<T> sincos_of_any(T x) {
  const T size = size_of(x);
  const angle<T> a = quadrant_of(size);
  const sine_cosine<T> s = short_sincos(a.r);
  const bool odd = (a.quadrant & 1u) != 0;
  const bits_of<T> q = a.quadrant, top = sizeof(T) * 8 - 2;
  const T sine = from_bits<T>(to_bits(odd ? s.cosine : s.sine) ^ ((q & 2) << top) ^
                              (to_bits(x) & format<T>::sign));
  const T cosine = from_bits<T>(to_bits(odd ? s.sine : s.cosine) ^ (((q + 1) & 2) << top));
  const bool none = size == infinite<T>();
  return {none ? nan_value<T>() : sine, none ? nan_value<T>() : cosine};
}

// All numbers of at least this magnitude are even integers.
template <class T> constexpr T all_even = T(0x1p25);
template <> inline constexpr double all_even<double> = 0x1p54;

// Returns sin(pi r) for |r| up to 1/2.
template <class T> SCYTHE_INLINE T sinpi_short(T r) {
  using C = constants<T>;
  const T square = r * r;
  return r * C::pi + (r * C::pi_low + r * square * sinpi_tail(square));
}
// Returns a number below 2 with the same sinpi and cospi as `size`.
template <class T> SCYTHE_INLINE T less_turns(T size) {
  // The truncation and the difference are exact.
  const T twice = T(2) * (sizeof(T) == 4 ? T(__builtin_truncf(float(size * T(0.5))))
                                         : T(__builtin_trunc(size * T(0.5))));
  return size >= all_even<T> ? size - size : size - twice;
}

template <class T> SCYTHE_INLINE T sinpi_of_any(T x) {
  const T a = less_turns(size_of(x));
  const T b = a > T(1) ? a - T(1) : a;
  const T sine = sinpi_short(b > T(0.5) ? T(1) - b : b);
  // Integers give zero with the sign of x.
  const T signed_sine = a > T(1) && b != T(1) ? -sine : sine;
  return from_bits<T>(to_bits(b == T(0) || b == T(1) ? T(0) : signed_sine) ^
                      (to_bits(x) & format<T>::sign));
}

template <class T> SCYTHE_INLINE T cospi_of_any(T x) {
  const T a = less_turns(size_of(x));
  const T b = a > T(1) ? T(2) - a : a;
  // 1/2 - b is exact where the cosine is small.
  return sinpi_short(T(0.5) - b);
}

template <class T> SCYTHE_INLINE T tanpi_of_any(T x) {
  const T a = less_turns(size_of(x));
  const T b = a >= T(1) ? a - T(1) : a;
  const T c = b > T(0.5) ? T(1) - b : b;
  const T tangent = sinpi_short(c) / sinpi_short(T(0.5) - c);
  const T turned = b > T(0.5) ? -tangent : tangent;
  // tan(pi n) is 0 with the sign of x for even n and with the opposite sign for odd n. At n + 1/2
  // it is infinite with signs by the same rule.
  const T zero = a == T(1) ? -T(0) : T(0);
  const T pole = a > T(1) ? -infinite<T>() : infinite<T>();
  const T result = b == T(0) ? zero : (b == T(0.5) ? pole : turned);
  return from_bits<T>(to_bits(result) ^ (to_bits(x) & format<T>::sign));
}

} // namespace scythe_device_library

#endif
