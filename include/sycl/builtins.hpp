// Maths functions for kernels and host code, on float and double; `min`, `max`, `clamp` and `abs` on integers too.
//
// In device code they are calls that the device library or the back end answers; on the host, the C library's.
// Templates leave calls with exact types to the C library's functions of the same name, where a program has both in
// sight.
#ifndef SCYTHE_BUILTINS_HPP
#define SCYTHE_BUILTINS_HPP

#include <sycl/detail/config.hpp>

#include <type_traits>

#ifdef SCYTHE_DEVICE_PASS
#define SCYTHE_MATHS_FUNCTION SCYTHE_DEVICE_LIBRARY __attribute__((const)) extern
#define SCYTHE_MATHS_1(name)                                                                                           \
  SCYTHE_MATHS_FUNCTION float __spirv_ocl_##name(float) noexcept;                                                      \
  SCYTHE_MATHS_FUNCTION double __spirv_ocl_##name(double) noexcept;
#define SCYTHE_MATHS_2(name)                                                                                           \
  SCYTHE_MATHS_FUNCTION float __spirv_ocl_##name(float, float) noexcept;                                               \
  SCYTHE_MATHS_FUNCTION double __spirv_ocl_##name(double, double) noexcept;
#define SCYTHE_MATHS_3(name)                                                                                           \
  SCYTHE_MATHS_FUNCTION float __spirv_ocl_##name(float, float, float) noexcept;                                        \
  SCYTHE_MATHS_FUNCTION double __spirv_ocl_##name(double, double, double) noexcept;
#else
// The same names on the host, so that one definition of the user's functions serves both.
#define SCYTHE_MATHS_1(name)                                                                                           \
  inline float __spirv_ocl_##name(float x) noexcept { return __builtin_##name##f(x); }                                 \
  inline double __spirv_ocl_##name(double x) noexcept { return __builtin_##name(x); }
#define SCYTHE_MATHS_2(name)                                                                                           \
  inline float __spirv_ocl_##name(float x, float y) noexcept { return __builtin_##name##f(x, y); }                     \
  inline double __spirv_ocl_##name(double x, double y) noexcept { return __builtin_##name(x, y); }
#define SCYTHE_MATHS_3(name)                                                                                           \
  inline float __spirv_ocl_##name(float x, float y, float z) noexcept { return __builtin_##name##f(x, y, z); }         \
  inline double __spirv_ocl_##name(double x, double y, double z) noexcept { return __builtin_##name(x, y, z); }
#endif

#define SCYTHE_ALL_MATHS_1(X)                                                                                          \
  X(acos)                                                                                                              \
  X(acosh)                                                                                                             \
  X(asin)                                                                                                              \
  X(asinh)                                                                                                             \
  X(atan)                                                                                                              \
  X(atanh)                                                                                                             \
  X(cbrt)                                                                                                              \
  X(ceil)                                                                                                              \
  X(cos)                                                                                                               \
  X(cosh)                                                                                                              \
  X(erf)                                                                                                               \
  X(erfc)                                                                                                              \
  X(exp)                                                                                                               \
  X(exp2)                                                                                                              \
  X(exp10)                                                                                                             \
  X(expm1)                                                                                                             \
  X(fabs)                                                                                                              \
  X(floor)                                                                                                             \
  X(lgamma)                                                                                                            \
  X(log)                                                                                                               \
  X(log2)                                                                                                              \
  X(log10)                                                                                                             \
  X(log1p)                                                                                                             \
  X(logb)                                                                                                              \
  X(rint)                                                                                                              \
  X(round)                                                                                                             \
  X(sin)                                                                                                               \
  X(sinh)                                                                                                              \
  X(sqrt)                                                                                                              \
  X(tan)                                                                                                               \
  X(tanh)                                                                                                              \
  X(tgamma)                                                                                                            \
  X(trunc)
#define SCYTHE_ALL_MATHS_2(X)                                                                                          \
  X(atan2)                                                                                                             \
  X(copysign)                                                                                                          \
  X(fdim)                                                                                                              \
  X(fmax)                                                                                                              \
  X(fmin)                                                                                                              \
  X(fmod)                                                                                                              \
  X(hypot)                                                                                                             \
  X(nextafter)                                                                                                         \
  X(pow)                                                                                                               \
  X(remainder)

SCYTHE_ALL_MATHS_1(SCYTHE_MATHS_1)
SCYTHE_ALL_MATHS_2(SCYTHE_MATHS_2)
SCYTHE_MATHS_3(fma)

namespace sycl {

namespace detail {
template <class T> using if_float = std::enable_if_t<std::is_same_v<T, float> || std::is_same_v<T, double>>;
template <class T> using if_integer = std::enable_if_t<std::is_integral_v<T>>;
template <class T> using if_number = std::enable_if_t<std::is_arithmetic_v<T>>;
// The type of a function of several numbers of which one at least is floating.
template <class... T>
using float_of = std::enable_if_t<(std::is_arithmetic_v<T> && ...) && (std::is_floating_point_v<T> || ...),
                                  std::common_type_t<T...>>;
} // namespace detail

#define SCYTHE_PUBLIC_1(name)                                                                                          \
  template <class T, class = detail::if_float<T>> T name(T x) { return __spirv_ocl_##name(x); }
#define SCYTHE_PUBLIC_2(name)                                                                                          \
  template <class A, class B, class R = detail::float_of<A, B>> R name(A x, B y) {                                     \
    return __spirv_ocl_##name(static_cast<R>(x), static_cast<R>(y));                                                   \
  }
SCYTHE_ALL_MATHS_1(SCYTHE_PUBLIC_1)
SCYTHE_ALL_MATHS_2(SCYTHE_PUBLIC_2)

template <class A, class B, class C, class R = detail::float_of<A, B, C>> R fma(A x, B y, C z) {
  return __spirv_ocl_fma(static_cast<R>(x), static_cast<R>(y), static_cast<R>(z));
}
template <class A, class B, class C, class R = detail::float_of<A, B, C>> R mad(A x, B y, C z) {
  return static_cast<R>(x) * static_cast<R>(y) + static_cast<R>(z);
}
template <class A, class B, class C, class R = detail::float_of<A, B, C>> R mix(A x, B y, C amount) {
  return static_cast<R>(x) + (static_cast<R>(y) - static_cast<R>(x)) * static_cast<R>(amount);
}
template <class T, class = detail::if_float<T>> T rsqrt(T x) { return T(1) / sycl::sqrt(x); }
template <class T, class = detail::if_float<T>> T powr(T x, T y) { return sycl::pow(x, y); }
template <class T, class = detail::if_float<T>> T pown(T x, int n) { return sycl::pow(x, static_cast<T>(n)); }
template <class T, class = detail::if_float<T>> T degrees(T x) { return x * T(57.295779513082320876798154814105); }
template <class T, class = detail::if_float<T>> T radians(T x) { return x * T(0.01745329251994329576923690768489); }
template <class T, class = detail::if_float<T>> T step(T edge, T x) { return x < edge ? T(0) : T(1); }
template <class T, class = detail::if_float<T>> T sign(T x) {
  if (x > T(0))
    return T(1);
  if (x < T(0))
    return T(-1);
  // Zeros keep their sign; the sign of a NaN is 0.
  return x == T(0) ? x : T(0);
}

template <class T, class = detail::if_float<T>> bool isnan(T x) { return __builtin_isnan(x); }
template <class T, class = detail::if_float<T>> bool isinf(T x) { return __builtin_isinf(x); }
template <class T, class = detail::if_float<T>> bool isfinite(T x) { return __builtin_isfinite(x); }
template <class T, class = detail::if_float<T>> bool isnormal(T x) { return __builtin_isnormal(x); }
template <class T, class = detail::if_float<T>> bool signbit(T x) { return __builtin_signbit(x); }

template <class T, class = detail::if_integer<T>> T abs(T x) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(x < 0 ? -x : x);
  else
    return x;
}
template <class T, class = detail::if_number<T>> constexpr T min(T x, T y) { return y < x ? y : x; }
template <class T, class = detail::if_number<T>> constexpr T max(T x, T y) { return x < y ? y : x; }
template <class T, class = detail::if_number<T>> constexpr T clamp(T x, T low, T high) {
  return sycl::min(sycl::max(x, low), high);
}

// Functions whose precision the back end chooses. The precise ones satisfy that.
namespace native {
using sycl::cos;
using sycl::exp;
using sycl::exp10;
using sycl::exp2;
using sycl::log;
using sycl::log10;
using sycl::log2;
using sycl::powr;
using sycl::rsqrt;
using sycl::sin;
using sycl::sqrt;
using sycl::tan;
inline float divide(float x, float y) { return x / y; }
inline float recip(float x) { return 1.0f / x; }
} // namespace native

} // namespace sycl

#undef SCYTHE_PUBLIC_1
#undef SCYTHE_PUBLIC_2
#undef SCYTHE_ALL_MATHS_1
#undef SCYTHE_ALL_MATHS_2
#undef SCYTHE_MATHS_1
#undef SCYTHE_MATHS_2
#undef SCYTHE_MATHS_3
#undef SCYTHE_MATHS_FUNCTION

#endif
