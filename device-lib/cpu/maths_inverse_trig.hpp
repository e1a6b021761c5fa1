// asin, acos, atan, atan2, and their forms in units of pi.
#ifndef SCYTHE_MATHS_INVERSE_TRIG_HPP
#define SCYTHE_MATHS_INVERSE_TRIG_HPP

#include "coefficients.hpp"
#include "maths_constants.hpp"

namespace scythe_device_library {

// Returns the arc tangent of y/x for y, x >= 0. It is atan(t) plus 0, pi/4 or pi/2, where t is at
// most tan(pi/8). This needs one division.
template <class T> SCYTHE_INLINE T atan_of_quotient(T y, T x) {
  using C = constants<T>;
  constexpr T tan_pi_8 = T(0.41421356237309504880);
  const bool steep = y * tan_pi_8 > x, middle = y > x * tan_pi_8;
  const T top = steep ? -x : (middle ? y - x : y);
  const T bottom = steep ? y : (middle ? y + x : x);
  const T base = steep ? T(0.5) * C::pi : (middle ? T(0.25) * C::pi : T(0));
  const T base_low = steep ? T(0.5) * C::pi_low : (middle ? T(0.25) * C::pi_low : T(0));
  const T t = top / bottom, square = t * t;
  return base + (t + (t * square * atan_tail(square) + base_low));
}

template <class T> SCYTHE_INLINE T atan_of_any(T x) {
  // The product of a subnormal y and tan(pi/8) is exact enough for the comparison. Infinity is
  // replaced by a number at which atan has reached pi/2.
  constexpr T far = sizeof(T) == 4 ? T(0x1p60) : T(0x1p200);
  const T size = size_of(x);
  return with_sign(atan_of_quotient(size > far ? far : size, T(1)), x);
}

template <class T> struct quotient {
  T top, bottom;
};
// Returns y/x as two sizes whose sums do not overflow and which are not both infinite.
template <class T> SCYTHE_INLINE quotient<T> bounded_quotient(T y, T x) {
  const T a = size_of(y), b = size_of(x);
  const bool both_infinite = a == infinite<T>() && b == infinite<T>();
  const T half = T(0.25);
  // Scale small sizes up, so that the remaining sums and products stay exact.
  constexpr T large = sizeof(T) == 4 ? T(0x1p120) : T(0x1p1000),
              small = sizeof(T) == 4 ? T(0x1p-60) : T(0x1p-900);
  constexpr T growth = sizeof(T) == 4 ? T(0x1p60) : T(0x1p900);
  const bool shrink = a > large || b > large, grow = a < small && b < small;
  const T factor = shrink ? half : (grow ? growth : T(1));
  return {both_infinite ? T(1) : a * factor, both_infinite ? T(1) : b * factor};
}

template <class T> SCYTHE_INLINE T atan2_of_any(T y, T x) {
  using C = constants<T>;
  const quotient<T> q = bounded_quotient(y, x);
  // Treat 0/0 as 0/1. The angle is 0 or pi, depending on the sign of x.
  const T first = atan_of_quotient(q.top, q.top == T(0) && q.bottom == T(0) ? T(1) : q.bottom);
  const bool left = (to_bits(x) & format<T>::sign) != 0;
  const T angle = left ? C::pi - (first - C::pi_low) : first;
  const bool none = x != x || y != y;
  return none ? x + y : with_sign(angle, y);
}

// asin(x) for |x| <= 1/2. Larger numbers use asin(x) = pi/2 - 2 asin(sqrt((1 - x)/2)).
template <class T> struct arc_sine {
  T value;
  bool folded;
};
template <class T> SCYTHE_INLINE arc_sine<T> short_asin(T size) {
  const bool folded = size > T(0.5);
  const T square = folded ? (T(1) - size) * T(0.5) : size * size;
  const T s = folded ? root(square) : size;
  return {s + s * square * asin_tail(square), folded};
}

template <class T> SCYTHE_INLINE T asin_of_any(T x) {
  using C = constants<T>;
  const arc_sine<T> a = short_asin(size_of(x));
  const T far = T(0.5) * C::pi - (T(2) * a.value - T(0.5) * C::pi_low);
  return with_sign(a.folded ? far : a.value, x);
}

template <class T> SCYTHE_INLINE T acos_of_any(T x) {
  using C = constants<T>;
  const arc_sine<T> a = short_asin(size_of(x));
  const T right = T(2) * a.value, left = C::pi - (right - C::pi_low);
  const T signed_value = with_sign(a.value, x);
  const T near = T(0.5) * C::pi - (signed_value - T(0.5) * C::pi_low);
  return a.folded ? (x < T(0) ? left : right) : near;
}

template <class T> SCYTHE_INLINE T asinpi_of_any(T x) {
  return asin_of_any(x) * constants<T>::one_over_pi;
}
template <class T> SCYTHE_INLINE T acospi_of_any(T x) {
  return acos_of_any(x) * constants<T>::one_over_pi;
}
template <class T> SCYTHE_INLINE T atanpi_of_any(T x) {
  return atan_of_any(x) * constants<T>::one_over_pi;
}
template <class T> SCYTHE_INLINE T atan2pi_of_any(T y, T x) {
  return atan2_of_any(y, x) * constants<T>::one_over_pi;
}

} // namespace scythe_device_library

#endif
