// pow, pown, powr, rootn, cbrt, hypot, rsqrt.
//
// Powers are exp(y log x). Float computes it in double, whose spare bits absorb the factor y. Double keeps the
// logarithm and the product in pairs of numbers.
#ifndef SCYTHE_MATHS_POWER_HPP
#define SCYTHE_MATHS_POWER_HPP

#include "maths_exp.hpp"
#include "maths_log.hpp"

namespace scythe_device_library {

// A logarithm, and the type of the factor that `raised` takes.
template <class T> struct logarithm;
template <> struct logarithm<float> {
  double value;
};
template <> struct logarithm<double> {
  pair<double> value;
};

// Infinite at zero and infinity, NaN at NaN, for sizes of numbers.
template <class W, class T> SCYTHE_INLINE W log_at_ends(T size, W inside) {
  const W upper = size == infinite<T>() ? infinite<W>() : (size != size ? nan_value<W>() : inside);
  return size == T(0) ? -infinite<W>() : upper;
}

// log2 of |x|, in double: every float is a normal double.
SCYTHE_INLINE logarithm<float> log_for_power(float size) {
  const split_number<double> s = split_normal(static_cast<double>(size));
  const double f = s.m - 1.0;
  return {log_at_ends<double>(size, to_value(s.k) + f * log2_wide(f))};
}

SCYTHE_INLINE logarithm<double> log_for_power(double size) {
  using C = constants<double>;
  const split_number<double> n = split_any(size);
  const double f = n.m - 1.0, k = to_value(n.k);
  const pair<double> bottom = quick_sum(2.0, f);
  // One division: what the product with the reciprocal misses, the low part has.
  const double inverse = 1.0 / bottom.high, s = f * inverse;
  const pair<double> ratio = {s, (fused(-s, bottom.high, f) - s * bottom.low) * inverse};
  const pair<double> square = product(ratio, ratio);
  const pair<double> third = product(product(square, ratio), pair<double>{0x1.5555555555555p-1, 0x1.5555555555555p-55});
  const double rest = s * square.high * square.high * log_ratio_rest(square.high);
  const pair<double> a = exact_sum(k * C::ln2_whole, 2.0 * ratio.high);
  const pair<double> b = exact_sum(a.high, third.high);
  const double low = (a.low + b.low) + (2.0 * ratio.low + (third.low + (rest + k * C::ln2_rest)));
  const pair<double> sum = quick_sum(b.high, low);
  const double high = log_at_ends<double>(size, sum.high);
  return {{high, high == sum.high ? sum.low : 0.0}};
}

SCYTHE_INLINE logarithm<float> times(logarithm<float> l, double y) { return {l.value * y}; }
SCYTHE_INLINE logarithm<double> times(logarithm<double> l, double y) {
  const pair<double> p = exact_product(l.value.high, y);
  return {{p.high, p.low + l.value.low * y}};
}
SCYTHE_INLINE logarithm<float> over(logarithm<float> l, double n) { return {l.value / n}; }
SCYTHE_INLINE logarithm<double> over(logarithm<double> l, double n) {
  const double q = l.value.high / n;
  return {{q, (fused(-q, n, l.value.high) + l.value.low) / n}};
}

SCYTHE_INLINE float power_from(logarithm<float> l) {
  const double c = confined(l.value, -160.0, 160.0);
  const whole<double> k = nearest(c);
  const double r = c - k.value;
  return static_cast<float>((1.0 + r * exp2_wide(r)) * power_of_two<double>(k.number));
}
SCYTHE_INLINE double power_from(logarithm<double> l) {
  using R = exp_range<double>;
  const double c = confined(l.value.high, R::exp_low, R::exp_high);
  // Where the exponent was infinite or cut off, its low part means nothing.
  const double low = c == l.value.high ? l.value.low : 0.0;
  const exp_parts<double> e = split_exp(c, low);
  return scaled(1.0 + e.rest, e.n);
}

template <class T> SCYTHE_INLINE T integral_part(T x) {
  if constexpr (sizeof(T) == 4)
    return __builtin_truncf(x);
  else
    return __builtin_trunc(x);
}

template <class T> SCYTHE_INLINE T pow_of_any(T x, T y) {
  const T size = size_of(x);
  const T magnitude = power_from(times(log_for_power(size), y));
  // |x| = 1 to an infinite power would be 0 times infinity.
  const T tamed = size == T(1) ? T(1) : magnitude;
  const bool integral = integral_part(y) == y;
  const T half = y * T(0.5);
  const bool odd = integral && integral_part(half) != half;
  const bool negative = (to_bits(x) & format<T>::sign) != 0;
  const T turned = negative && odd ? -tamed : tamed;
  const bool no_number = (x < T(0) && !integral && size != infinite<T>()) || x != x || y != y;
  return x == T(1) || y == T(0) ? T(1) : (no_number ? nan_value<T>() : turned);
}

template <class T> SCYTHE_INLINE T powr_of_any(T x, T y) {
  const T magnitude = power_from(times(log_for_power(size_of(x)), y));
  const bool end = x == T(0) || x == infinite<T>();
  const bool no_number =
      x < T(0) || x != x || y != y || (y == T(0) && end) || (x == T(1) && size_of(y) == infinite<T>());
  // NaNs from 0 times infinity are meant where `no_number` says so; 1 to any finite power is 1.
  return no_number ? nan_value<T>() : (x == T(1) || y == T(0) ? T(1) : magnitude);
}

template <class T> SCYTHE_INLINE T pown_of_any(T x, int n) {
  const T size = size_of(x);
  const T magnitude = power_from(times(log_for_power(size), static_cast<double>(n)));
  const bool negative = (to_bits(x) & format<T>::sign) != 0;
  const T turned = negative && (n & 1) != 0 ? -magnitude : magnitude;
  return n == 0 ? T(1) : turned;
}

template <class T> SCYTHE_INLINE T rootn_of_any(T x, int n) {
  const T size = size_of(x);
  const T magnitude = power_from(over(log_for_power(size), static_cast<double>(n)));
  const bool odd = (n & 1) != 0;
  const T turned = odd ? with_sign(magnitude, x) : magnitude;
  return n == 0 || (x < T(0) && !odd) ? nan_value<T>() : turned;
}

// The first guess of x^(-1/3): a third of the exponent, negated, by integers. Good to 5 bits.
SCYTHE_INLINE float guess_inverse_cbrt(float x) {
  const unsigned third = static_cast<unsigned>((static_cast<unsigned long>(to_bits(x)) * 0x55555556ul) >> 32);
  return from_bits<float>(0x54a21d2au - third);
}
SCYTHE_INLINE double guess_inverse_cbrt(double x) {
  const unsigned long third = ((to_bits(x) >> 32) * 0x55555556ul) >> 32;
  return from_bits<double>((0x553ef0fful - third) << 32);
}

template <class T> SCYTHE_INLINE T cbrt_of_any(T x) {
  constexpr int third_of_shift = format<T>::digits / 3 + 1;
  const T size = size_of(x);
  const bool small = size < format<T>::smallest_normal;
  const T a = small ? size * power_of_two<T>(3 * third_of_shift) : size;
  T r = guess_inverse_cbrt(a);
  // Each step takes the error to its fourth power.
#pragma clang loop unroll(full)
  for (int i = 0; i < 2; ++i) {
    const T h = T(1) - a * r * r * r;
    r = r + r * h * (T(1.0 / 3) + h * (T(2.0 / 9) + h * T(14.0 / 81)));
  }
  const T y = a * r * r;
  // One step of Newton's with a residual that does not lose what it is about.
  const pair<T> square = exact_product(y, y);
  const T residual = fused(square.high, y, -a) + square.low * y;
  const T root = y - residual * (r * r) * T(1.0 / 3);
  const T result = small ? root * power_of_two<T>(-third_of_shift) : root;
  // Zeros, infinities and NaN are their own roots.
  return x == T(0) || !(size < infinite<T>()) ? x : with_sign(result, x);
}

SCYTHE_INLINE float hypot_of_any(float x, float y) {
  const double a = x, b = y;
  const float result = static_cast<float>(root(a * a + b * b));
  return size_of(x) == infinite<float>() || size_of(y) == infinite<float>() ? infinite<float>() : result;
}
SCYTHE_INLINE double hypot_of_any(double x, double y) {
  const double a = size_of(x), b = size_of(y);
  const bool large = a > 0x1p500 || b > 0x1p500, small = a < 0x1p-450 && b < 0x1p-450;
  const double factor = large ? 0x1p-600 : (small ? 0x1p600 : 1.0), back = large ? 0x1p600 : (small ? 0x1p-600 : 1.0);
  const double c = a * factor, d = b * factor;
  const double result = root(c * c + d * d) * back;
  return a == infinite<double>() || b == infinite<double>() ? infinite<double>() : result;
}

template <class T> SCYTHE_INLINE T rsqrt_of_any(T x) { return T(1) / root(x); }

} // namespace scythe_device_library

#endif
