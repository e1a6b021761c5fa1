// The inverse trigonometric and hyperbolic functions of `std::complex`, and its projection, by
// their C names. Infinities and signed zeros follow annex G of the C standard.
//
// The formulas for finite numbers are Kahan's: they have no cancellation near the branch points.
#include "device_library.hpp"

namespace scythe_device_library {

inline float asinh_of(float x) { return __builtin_asinhf(x); }
inline double asinh_of(double x) { return __builtin_asinh(x); }
inline float log1p_of(float x) { return __builtin_log1pf(x); }
inline double log1p_of(double x) { return __builtin_log1p(x); }

template <class T> inline constexpr T pi_of = static_cast<T>(3.14159265358979323846);
template <class T> inline constexpr T nan_of = static_cast<T>(__builtin_nan(""));
template <class T> inline constexpr T inf_of = static_cast<T>(__builtin_inf());

template <class T> bool is_finite(parts<T> z) {
  return __builtin_isfinite(z.re) && __builtin_isfinite(z.im);
}

// Returns the roots of 1 - z and 1 + z.
template <class T> struct unit_roots {
  parts<T> minus, plus;
};
template <class T> unit_roots<T> unit_roots_of(parts<T> z) {
  return {csqrt_of<T>(parts<T>{1 - z.re, -z.im}), csqrt_of<T>(parts<T>{1 + z.re, z.im})};
}

template <class T> parts<T> casinh_of(parts<T> z) {
  const auto [x, y] = z;
  if (is_finite(z)) {
    // asinh z = -i asin(iz)
    const auto [minus, plus] = unit_roots_of<T>(parts<T>{-y, x});
    return parts<T>{asinh_of(minus.re * plus.im - minus.im * plus.re),
                    copysign_of(atan2_of(abs_of(y), minus.re * plus.re - minus.im * plus.im), y)};
  }
  if (__builtin_isinf(x))
    return parts<T>{x, __builtin_isinf(y)   ? copysign_of(pi_of<T> / 4, y)
                       : __builtin_isnan(y) ? y
                                            : copysign_of(T(0), y)};
  if (__builtin_isinf(y))
    return parts<T>{copysign_of(inf_of<T>, x),
                    __builtin_isnan(x) ? x : copysign_of(pi_of<T> / 2, y)};
  return parts<T>{nan_of<T>, y == T(0) ? y : nan_of<T>};
}

template <class T> parts<T> cacos_of(parts<T> z) {
  const auto [x, y] = z;
  if (is_finite(z)) {
    const auto [minus, plus] = unit_roots_of(z);
    return parts<T>{2 * atan2_of(minus.re, plus.re),
                    asinh_of(plus.re * minus.im - plus.im * minus.re)};
  }
  if (__builtin_isinf(x)) {
    if (__builtin_isnan(y))
      return parts<T>{y, x};
    const T quarter = pi_of<T> / 4, angle = x > T(0) ? T(0) : 4 * quarter;
    return parts<T>{__builtin_isinf(y) ? (x > T(0) ? quarter : 3 * quarter) : angle,
                    copysign_of(inf_of<T>, -y)};
  }
  if (__builtin_isinf(y))
    return parts<T>{__builtin_isnan(x) ? x : pi_of<T> / 2, -y};
  return parts<T>{x == T(0) ? pi_of<T> / 2 : nan_of<T>, nan_of<T>};
}

// acosh z is i acos z or -i acos z, with a real part that is not negative.
template <class T> parts<T> cacosh_of(parts<T> z) {
  const auto [re, im] = cacos_of(z);
  return __builtin_signbit(z.im) ? parts<T>{abs_of(im), -re} : parts<T>{abs_of(im), re};
}

template <class T> parts<T> catanh_of(parts<T> z) {
  const auto [x, y] = z;
  const T quarter = copysign_of(pi_of<T> / 2, y), zero = copysign_of(T(0), x);
  if (__builtin_isinf(y))
    return parts<T>{zero, quarter};
  if (__builtin_isinf(x))
    return parts<T>{zero, __builtin_isnan(y) ? y : quarter};
  if (!is_finite(z))
    return parts<T>{x == T(0) ? x : nan_of<T>, nan_of<T>};
  const T a = abs_of(x), b = abs_of(y);
  // Beyond this limit, atanh z is 1/z with a quarter turn, and squares may overflow.
  const T large = sizeof(T) == 4 ? T(1 << 24) : T(1ull << 53);
  if (a > large || b > large) {
    const T real = a >= b ? 1 / (a + b * (b / a)) : (a / b) / (b + a * (a / b));
    return parts<T>{copysign_of(real, x), quarter};
  }
  return parts<T>{copysign_of(log1p_of(4 * a / ((1 - a) * (1 - a) + b * b)) / 4, x),
                  copysign_of(atan2_of(2 * b, (1 - a) * (1 + a) - b * b) / 2, y)};
}

// The circular functions are hyperbolic functions of the rotated argument: asin z = -i asinh(iz).
template <class T> parts<T> casin_of(parts<T> z) {
  const auto [re, im] = casinh_of<T>(parts<T>{-z.im, z.re});
  return parts<T>{im, -re};
}
template <class T> parts<T> catan_of(parts<T> z) {
  const auto [re, im] = catanh_of<T>(parts<T>{-z.im, z.re});
  return parts<T>{im, -re};
}

template <class T> parts<T> cproj_of(parts<T> z) {
  if (__builtin_isinf(z.re) || __builtin_isinf(z.im))
    return parts<T>{inf_of<T>, copysign_of(T(0), z.im)};
  return z;
}

} // namespace scythe_device_library
