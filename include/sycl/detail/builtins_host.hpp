// Maths functions on the host for float and double, under the names that device code uses. They
// call the C library, and use formulas for functions that it lacks. Half computes in float.
#ifndef SCYTHE_DETAIL_BUILTINS_HOST_HPP
#define SCYTHE_DETAIL_BUILTINS_HOST_HPP

#include <sycl/detail/config.hpp>

namespace sycl::detail::host_maths {

// One definition for float and double, on the two names of the C library.
#define SCYTHE_BOTH_1(name)                                                                        \
  inline float name(float x) noexcept { return __builtin_##name##f(x); }                           \
  inline double name(double x) noexcept { return __builtin_##name(x); }
#define SCYTHE_BOTH_2(name)                                                                        \
  inline float name(float x, float y) noexcept { return __builtin_##name##f(x, y); }               \
  inline double name(double x, double y) noexcept { return __builtin_##name(x, y); }
SCYTHE_BOTH_1(acos)
SCYTHE_BOTH_1(acosh)
SCYTHE_BOTH_1(asin)
SCYTHE_BOTH_1(asinh)
SCYTHE_BOTH_1(atan)
SCYTHE_BOTH_1(atanh)
SCYTHE_BOTH_1(cbrt)
SCYTHE_BOTH_1(ceil)
SCYTHE_BOTH_1(cos)
SCYTHE_BOTH_1(cosh)
SCYTHE_BOTH_1(erf)
SCYTHE_BOTH_1(erfc)
SCYTHE_BOTH_1(exp)
SCYTHE_BOTH_1(exp2)
SCYTHE_BOTH_1(expm1)
SCYTHE_BOTH_1(fabs)
SCYTHE_BOTH_1(floor)
SCYTHE_BOTH_1(lgamma)
SCYTHE_BOTH_1(log)
SCYTHE_BOTH_1(log10)
SCYTHE_BOTH_1(log1p)
SCYTHE_BOTH_1(log2)
SCYTHE_BOTH_1(logb)
SCYTHE_BOTH_1(rint)
SCYTHE_BOTH_1(round)
SCYTHE_BOTH_1(sin)
SCYTHE_BOTH_1(sinh)
SCYTHE_BOTH_1(sqrt)
SCYTHE_BOTH_1(tan)
SCYTHE_BOTH_1(tanh)
SCYTHE_BOTH_1(tgamma)
SCYTHE_BOTH_1(trunc)
SCYTHE_BOTH_2(atan2)
SCYTHE_BOTH_2(copysign)
SCYTHE_BOTH_2(fdim)
SCYTHE_BOTH_2(fmax)
SCYTHE_BOTH_2(fmin)
SCYTHE_BOTH_2(fmod)
SCYTHE_BOTH_2(hypot)
SCYTHE_BOTH_2(nextafter)
SCYTHE_BOTH_2(pow)
SCYTHE_BOTH_2(remainder)
#undef SCYTHE_BOTH_1
#undef SCYTHE_BOTH_2

template <class T> T pi() { return static_cast<T>(3.14159265358979323846264338327950288L); }
template <class T> T exp10(T x) { return static_cast<T>(__builtin_powl(10.0L, x)); }
template <class T> T rsqrt(T x) { return T(1) / sqrt(x); }
template <class T> T acospi(T x) { return acos(x) / pi<T>(); }
template <class T> T asinpi(T x) { return asin(x) / pi<T>(); }
template <class T> T atanpi(T x) { return atan(x) / pi<T>(); }
template <class T> T atan2pi(T y, T x) { return atan2(y, x) / pi<T>(); }
// Reduces the angle exactly to a small number before the multiplication by pi.
template <class T> T sinpi(T x) {
  const T r = remainder(x, T(2)), a = fabs(r);
  const T sine = sin(pi<T>() * (a > T(0.5) ? T(1) - a : a));
  return copysign(sine, r == T(0) || a == T(1) ? x : r);
}
template <class T> T cospi(T x) {
  const T a = fabs(remainder(x, T(2)));
  return sin(pi<T>() * (T(0.5) - a));
}
template <class T> T tanpi(T x) {
  const T r = remainder(x, T(2)), a = fabs(r);
  if (a == T(0.5))
    return r / T(0);
  return r == T(0) || a == T(1) ? copysign(T(0), a == T(1) ? -x : x) : sinpi(r) / cospi(r);
}
template <class T> T maxmag(T x, T y) {
  return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y);
}
template <class T> T minmag(T x, T y) {
  return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y);
}
template <class T> T not_a_number() { return static_cast<T>(__builtin_nan("")); }
// Unlike pow, powr treats its arguments as limits, which do not exist for 0^0, infinity^0 and
// 1^infinity.
template <class T> T powr(T x, T y) {
  const bool end = x == T(0) || __builtin_isinf(x);
  if (x < T(0) || x != x || y != y || (y == T(0) && end) || (x == T(1) && __builtin_isinf(y)))
    return not_a_number<T>();
  return pow(fabs(x), y);
}
inline float ldexp(float x, int n) { return __builtin_ldexpf(x, n); }
inline double ldexp(double x, int n) { return __builtin_ldexp(x, n); }
// Use long double, because float does not represent every int.
template <class T> T pown(T x, int n) { return static_cast<T>(__builtin_powl(x, n)); }
template <class T> T rootn(T x, int n) {
  if (n == 0 || (x < T(0) && n % 2 == 0))
    return not_a_number<T>();
  const T size = static_cast<T>(__builtin_powl(fabs(x), 1.0L / n));
  return n % 2 != 0 ? copysign(size, x) : size;
}
template <class T> T fract(T x, T *whole) {
  *whole = floor(x);
  if (__builtin_isinf(x) || x == T(0))
    return copysign(T(0), x);
  const T rest = x - *whole;
  return rest < T(1) || rest != rest ? rest : nextafter(T(1), T(0));
}
inline float modf(float x, float *whole) { return __builtin_modff(x, whole); }
inline double modf(double x, double *whole) { return __builtin_modf(x, whole); }
template <class T> T sincos(T x, T *cosine) {
  *cosine = cos(x);
  return sin(x);
}
inline float frexp(float x, int *exponent) { return __builtin_frexpf(x, exponent); }
inline double frexp(double x, int *exponent) { return __builtin_frexp(x, exponent); }
template <class T> T lgamma_r(T x, int *sign) {
  const T whole = floor(x);
  // Gamma is negative between -1 and 0, between -3 and -2, and so on.
  *sign = x < T(0) && whole != x && fmod(whole, T(2)) != T(0) ? -1 : 1;
  return lgamma(x);
}
// The C library's quotient may have only three bits. This function returns seven: the quotient
// modulo 128.
template <class T> T remquo(T x, T y, int *quotient) {
  const T rest = remainder(x, y), low = fmod(x, T(128) * y);
  *quotient = __builtin_isfinite(low) ? static_cast<int>(rint((low - rest) / y)) % 128 : 0;
  return rest;
}
inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
template <class T> T mad(T x, T y, T z) { return x * y + z; }
inline int ilogb(float x) { return __builtin_ilogbf(x); }
inline int ilogb(double x) { return __builtin_ilogb(x); }
inline float recip(float x) { return 1.0f / x; }
inline float divide(float x, float y) { return x / y; }

} // namespace sycl::detail::host_maths

#endif
