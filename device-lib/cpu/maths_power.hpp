// pow, pown, powr, rootn, cbrt, hypot, rsqrt.
//
// Powers are exp(y log x). The logarithm and the product are pairs of numbers, because y multiplies
// the error of the logarithm.
#ifndef SCYTHE_MATHS_POWER_HPP
#define SCYTHE_MATHS_POWER_HPP

#include "maths_exp.hpp"
#include "maths_log.hpp"

namespace scythe_device_library {

// A logarithm in two parts, to base 2 for float and to base e for double.
template <class T> struct logarithm {
  pair<T> value;
};

// Returns the logarithm of a magnitude: infinite at zero and infinity, NaN at NaN, and the given
// pair elsewhere.
template <class T> SCYTHE_INLINE logarithm<T> log_at_ends(T size, pair<T> inside) {
  const T upper =
      size == infinite<T>() ? infinite<T>() : (size != size ? nan_value<T>() : inside.high);
  const T high = size == T(0) ? -infinite<T>() : upper;
  return {{high, high == inside.high ? inside.low : T(0)}};
}

SCYTHE_INLINE logarithm<float> log_for_power(float size) {
  using C = constants<float>;
  const split_number<float> n = split_any(size);
  const float f = n.m - 1.0f, k = to_value(n.k);
  // f - f²/2 in two parts, and a third part that is small enough for one number.
  const pair<float> half_square = exact_product(0.5f * f, f);
  const pair<float> first = quick_sum(f, -half_square.high);
  const float rest = f * (2.0f * half_square.high) * log_cubic_tail(f);
  const pair<float> natural = quick_sum(first.high, (first.low - half_square.low) + rest);
  const pair<float> fraction = exact_product(natural.high, C::log2_e);
  const float low = fraction.low + (natural.high * C::log2_e_low + natural.low * C::log2_e);
  const pair<float> sum = quick_sum(k, fraction.high);
  return log_at_ends(size, {sum.high, sum.low + low});
}

SCYTHE_INLINE logarithm<double> log_for_power(double size) {
  using C = constants<double>;
  const split_number<double> n = split_any(size);
  const double f = n.m - 1.0, k = to_value(n.k);
  const pair<double> bottom = quick_sum(2.0, f);
  // One division is enough: the low part corrects the error of the product with the reciprocal.
  const double inverse = 1.0 / bottom.high, s = f * inverse;
  const pair<double> ratio = {s, (fused(-s, bottom.high, f) - s * bottom.low) * inverse};
  const pair<double> square = product(ratio, ratio);
  const pair<double> third =
      product(product(square, ratio), pair<double>{0x1.5555555555555p-1, 0x1.5555555555555p-55});
  const double rest = s * square.high * square.high * log_ratio_rest(square.high);
  const pair<double> a = exact_sum(k * C::ln2_whole, 2.0 * ratio.high);
  const pair<double> b = exact_sum(a.high, third.high);
  const double low = (a.low + b.low) + (2.0 * ratio.low + (third.low + (rest + k * C::ln2_rest)));
  const pair<double> sum = quick_sum(b.high, low);
  return log_at_ends(size, sum);
}

template <class T> SCYTHE_INLINE logarithm<T> times(logarithm<T> l, T y) {
  const pair<T> p = exact_product(l.value.high, y);
  return {{p.high, p.low + l.value.low * y}};
}
template <class T> SCYTHE_INLINE logarithm<T> times(logarithm<T> l, pair<T> y) {
  const pair<T> p = exact_product(l.value.high, y.high);
  return {{p.high, p.low + (l.value.low * y.high + l.value.high * y.low)}};
}
template <class T> SCYTHE_INLINE logarithm<T> over(logarithm<T> l, T n) {
  const T q = l.value.high / n;
  return {{q, (fused(-q, n, l.value.high) + l.value.low) / n}};
}

// If the exponent is infinite or was clamped, its low part has no meaning and is dropped.
template <class T> SCYTHE_INLINE pair<T> confined_pair(pair<T> x, T low, T high) {
  const T c = confined(x.high, low, high);
  return {c, c == x.high ? x.low : T(0)};
}
SCYTHE_INLINE float power_from(logarithm<float> l) {
  using R = exp_range<float>;
  const pair<float> c = confined_pair(l.value, R::exp2_low, R::exp2_high);
  const whole<float> k = nearest(c.high);
  const float r = (c.high - k.value) + c.low;
  return scaled(1.0f + r * exp2_tail(r), k.number);
}
SCYTHE_INLINE double power_from(logarithm<double> l) {
  using R = exp_range<double>;
  const pair<double> c = confined_pair(l.value, R::exp_low, R::exp_high);
  const exp_parts<double> e = split_exp(c.high, c.low);
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
  // |x| = 1 to an infinite power would compute 0 times infinity.
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
  const bool no_number = x < T(0) || x != x || y != y || (y == T(0) && end) ||
                         (x == T(1) && size_of(y) == infinite<T>());
  // The result is NaN only if `no_number` is set. 1 to any finite power is 1.
  return no_number ? nan_value<T>() : (x == T(1) || y == T(0) ? T(1) : magnitude);
}

template <class T> SCYTHE_INLINE T pown_of_any(T x, int n) {
  const T size = size_of(x);
  // An int has more bits than a float.
  const pair<T> exponent = quick_sum(static_cast<T>(n & ~0xff), static_cast<T>(n & 0xff));
  const T magnitude = power_from(times(log_for_power(size), exponent));
  const bool negative = (to_bits(x) & format<T>::sign) != 0;
  const T turned = negative && (n & 1) != 0 ? -magnitude : magnitude;
  return n == 0 ? T(1) : turned;
}

template <class T> SCYTHE_INLINE T rootn_of_any(T x, int n) {
  const T size = size_of(x);
  const T magnitude = power_from(over(log_for_power(size), static_cast<T>(n)));
  const bool odd = (n & 1) != 0;
  const T turned = odd ? with_sign(magnitude, x) : magnitude;
  return n == 0 || (x < T(0) && !odd) ? nan_value<T>() : turned;
}

// Returns an estimate of x^(-1/3) that is accurate to 5 bits, from a third of the negated exponent
// in integer arithmetic.
SCYTHE_INLINE float guess_inverse_cbrt(float x) {
  const unsigned third =
      static_cast<unsigned>((static_cast<unsigned long>(to_bits(x)) * 0x55555556ul) >> 32);
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
  // Each step raises the error to its fourth power.
#pragma clang loop unroll(full)
  for (int i = 0; i < 2; ++i) {
    const T h = T(1) - a * r * r * r;
    r = r + r * h * (T(1.0 / 3) + h * (T(2.0 / 9) + h * T(14.0 / 81)));
  }
  const T y = a * r * r;
  // One Newton step. The residual is computed with an exact product to avoid cancellation.
  const pair<T> square = exact_product(y, y);
  const T residual = fused(square.high, y, -a) + square.low * y;
  const T root = y - residual * (r * r) * T(1.0 / 3);
  const T result = small ? root * power_of_two<T>(-third_of_shift) : root;
  // Zeros, infinities and NaN are their own cube roots.
  return x == T(0) || !(size < infinite<T>()) ? x : with_sign(result, x);
}

SCYTHE_INLINE float hypot_of_any(float x, float y) {
  const double a = x, b = y;
  const float result = static_cast<float>(root(a * a + b * b));
  return size_of(x) == infinite<float>() || size_of(y) == infinite<float>() ? infinite<float>()
                                                                            : result;
}
SCYTHE_INLINE double hypot_of_any(double x, double y) {
  const double a = size_of(x), b = size_of(y);
  const bool large = a > 0x1p500 || b > 0x1p500, small = a < 0x1p-450 && b < 0x1p-450;
  const double factor = large ? 0x1p-600 : (small ? 0x1p600 : 1.0),
               back = large ? 0x1p600 : (small ? 0x1p-600 : 1.0);
  const double c = a * factor, d = b * factor;
  const double result = root(c * c + d * d) * back;
  return a == infinite<double>() || b == infinite<double>() ? infinite<double>() : result;
}

template <class T> SCYTHE_INLINE T rsqrt_of_any(T x) { return T(1) / root(x); }

} // namespace scythe_device_library

#endif
