// Common functions (min, max, clamp, mix, …) on numbers, and geometric functions on scalars, vectors of one component.
#ifndef SCYTHE_DETAIL_BUILTINS_COMMON_HPP
#define SCYTHE_DETAIL_BUILTINS_COMMON_HPP

#include <sycl/detail/builtins_math.hpp>

namespace sycl {

template <class T, class = detail::if_number<T>> constexpr T min(T x, T y) { return y < x ? y : x; }
template <class T, class = detail::if_number<T>> constexpr T max(T x, T y) { return x < y ? y : x; }
template <class T, class = detail::if_number<T>> constexpr T clamp(T x, T low, T high) {
  return sycl::min(sycl::max(x, low), high);
}

template <class T, class = detail::if_float<T>> constexpr T degrees(T x) {
  return x * T(57.295779513082320876798154814105);
}
template <class T, class = detail::if_float<T>> constexpr T radians(T x) {
  return x * T(0.01745329251994329576923690768489);
}
template <class A, class B, class C, class R = detail::float_of<A, B, C>> R mix(A x, B y, C amount) {
  return static_cast<R>(x) + (static_cast<R>(y) - static_cast<R>(x)) * static_cast<R>(amount);
}
template <class T, class = detail::if_float<T>> constexpr T step(T edge, T x) { return x < edge ? T(0) : T(1); }
template <class T, class = detail::if_float<T>> constexpr T smoothstep(T low, T high, T x) {
  const T t = sycl::clamp((x - low) / (high - low), T(0), T(1));
  return t * t * (T(3) - T(2) * t);
}
// Zeros keep their sign; the sign of a NaN is 0.
template <class T, class = detail::if_float<T>> constexpr T sign(T x) {
  return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? x : T(0);
}

template <class T, class = detail::if_float<T>> T dot(T x, T y) { return x * y; }
template <class T, class = detail::if_float<T>> T length(T x) { return sycl::fabs(x); }
template <class T, class = detail::if_float<T>> T distance(T x, T y) { return sycl::fabs(x - y); }
// Of zero and NaN, the same; else 1 with the sign of x.
template <class T, class = detail::if_float<T>> T normalize(T x) {
  return x == T(0) || x != x ? x : sycl::copysign(T(1), x);
}
inline float fast_length(float x) { return sycl::fabs(x); }
inline float fast_distance(float x, float y) { return sycl::fabs(x - y); }
inline float fast_normalize(float x) { return sycl::normalize(x); }

} // namespace sycl

#endif
