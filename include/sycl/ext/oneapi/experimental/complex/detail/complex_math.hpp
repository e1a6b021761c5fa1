// Functions of complex numbers. They use the functions that device code has for `std::complex`. The
// inverse functions follow Kahan's "Branch Cuts for Complex Elementary Functions", so that the sign
// of a zero selects the side of a branch cut.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COMPLEX_MATH_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COMPLEX_MATH_HPP

#include <sycl/ext/oneapi/experimental/complex/detail/complex.hpp>

namespace sycl::detail::complexes {

// Integers are treated as double.
template <class T> using real_part = std::conditional_t<std::is_integral_v<T>, double, T>;
template <class T>
using if_real = std::enable_if_t<std::is_integral_v<T> || is_complex_part<T>, real_part<T>>;

template <class T>
struct complex_part : std::enable_if<std::is_integral_v<T> || is_complex_part<T>, real_part<T>> {};
template <class T> struct complex_part<complex<T>> {
  using type = T;
};
// The type of the parts of a result of two operands: the larger of their types.
template <class T, class U>
using promoted = std::conditional_t<
    std::is_same_v<T, double> || std::is_same_v<U, double>, double,
    std::conditional_t<std::is_same_v<T, float> || std::is_same_v<U, float>, float, half>>;
template <class T, class U>
using promoted_parts = promoted<typename complex_part<T>::type, typename complex_part<U>::type>;

template <class F> std::complex<F> asin_of(const std::complex<F> &z) {
  const std::complex<F> minus = std::sqrt(std::complex<F>(1 - z.real(), -z.imag()));
  const std::complex<F> plus = std::sqrt(std::complex<F>(1 + z.real(), z.imag()));
  return {sycl::atan2(z.real(), minus.real() * plus.real() - minus.imag() * plus.imag()),
          sycl::asinh(minus.real() * plus.imag() - minus.imag() * plus.real())};
}
template <class F> std::complex<F> acos_of(const std::complex<F> &z) {
  const std::complex<F> minus = std::sqrt(std::complex<F>(1 - z.real(), -z.imag()));
  const std::complex<F> plus = std::sqrt(std::complex<F>(1 + z.real(), z.imag()));
  return {2 * sycl::atan2(minus.real(), plus.real()),
          sycl::asinh(plus.real() * minus.imag() - plus.imag() * minus.real())};
}
template <class F> std::complex<F> acosh_of(const std::complex<F> &z) {
  const std::complex<F> minus = std::sqrt(std::complex<F>(z.real() - 1, z.imag()));
  const std::complex<F> plus = std::sqrt(std::complex<F>(z.real() + 1, z.imag()));
  return {sycl::asinh(minus.real() * plus.real() + minus.imag() * plus.imag()),
          2 * sycl::atan2(minus.imag(), plus.real())};
}
template <class F> std::complex<F> atanh_of(const std::complex<F> &z) {
  const F x = z.real(), y = z.imag();
  if (sycl::isinf(x) || sycl::isinf(y))
    return {sycl::copysign(F(0), x), sycl::copysign(static_cast<F>(1.57079632679489661923), y)};
  return {sycl::log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4,
          sycl::atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2};
}
// asinh and atan are asin and atanh of the rotated argument: f(z) = -i g(iz).
template <class F> std::complex<F> asinh_of(const std::complex<F> &z) {
  const std::complex<F> turned = asin_of(std::complex<F>(-z.imag(), z.real()));
  return {turned.imag(), -turned.real()};
}
template <class F> std::complex<F> atan_of(const std::complex<F> &z) {
  const std::complex<F> turned = atanh_of(std::complex<F>(-z.imag(), z.real()));
  return {turned.imag(), -turned.real()};
}

} // namespace sycl::detail::complexes

namespace sycl::ext::oneapi::experimental {

// --- Parts

template <class T> constexpr T real(const complex<T> &z) { return z.real(); }
template <class T> constexpr sycl::detail::complexes::if_real<T> real(T x) {
  return static_cast<sycl::detail::complexes::real_part<T>>(x);
}
template <class T> constexpr T imag(const complex<T> &z) { return z.imag(); }
template <class T> constexpr sycl::detail::complexes::if_real<T> imag(T) {
  return sycl::detail::complexes::real_part<T>(0);
}
template <class T> T abs(const complex<T> &z) { return sycl::hypot(z.real(), z.imag()); }
template <class T> T arg(const complex<T> &z) { return sycl::atan2(z.imag(), z.real()); }
template <class T> sycl::detail::complexes::if_real<T> arg(T x) {
  using R = sycl::detail::complexes::real_part<T>;
  return sycl::atan2(R(0), static_cast<R>(x));
}
template <class T> T norm(const complex<T> &z) {
  if (sycl::isinf(z.real()) || sycl::isinf(z.imag()))
    return std::numeric_limits<T>::infinity();
  return z.real() * z.real() + z.imag() * z.imag();
}
template <class T> sycl::detail::complexes::if_real<T> norm(T x) {
  return static_cast<sycl::detail::complexes::real_part<T>>(x) *
         static_cast<sycl::detail::complexes::real_part<T>>(x);
}
template <class T> complex<T> conj(const complex<T> &z) { return {z.real(), -z.imag()}; }
template <class T> complex<sycl::detail::complexes::if_real<T>> conj(T x) {
  return static_cast<sycl::detail::complexes::real_part<T>>(x);
}
template <class T> complex<T> proj(const complex<T> &z) {
  if (sycl::isinf(z.real()) || sycl::isinf(z.imag()))
    return {std::numeric_limits<T>::infinity(), sycl::copysign(T(0), z.imag())};
  return z;
}
template <class T> complex<sycl::detail::complexes::if_real<T>> proj(T x) {
  return proj(complex<sycl::detail::complexes::real_part<T>>(
      static_cast<sycl::detail::complexes::real_part<T>>(x)));
}
template <class T, class = std::enable_if_t<sycl::detail::complexes::is_complex_part<T>>>
complex<T> polar(const T &rho, const T &theta = T()) {
  return {rho * sycl::cos(theta), rho * sycl::sin(theta)};
}

// --- Powers, and circular and hyperbolic functions

#define SCYTHE_COMPLEX_FUNCTION(name, call)                                                        \
  template <class T> complex<T> name(const complex<T> &z) {                                        \
    return sycl::detail::complexes::from_std<T>(call(sycl::detail::complexes::to_std(z)));         \
  }
SCYTHE_COMPLEX_FUNCTION(exp, std::exp)
SCYTHE_COMPLEX_FUNCTION(log, std::log)
SCYTHE_COMPLEX_FUNCTION(sqrt, std::sqrt)
SCYTHE_COMPLEX_FUNCTION(sin, std::sin)
SCYTHE_COMPLEX_FUNCTION(cos, std::cos)
SCYTHE_COMPLEX_FUNCTION(tan, std::tan)
SCYTHE_COMPLEX_FUNCTION(sinh, std::sinh)
SCYTHE_COMPLEX_FUNCTION(cosh, std::cosh)
SCYTHE_COMPLEX_FUNCTION(tanh, std::tanh)
SCYTHE_COMPLEX_FUNCTION(asin, sycl::detail::complexes::asin_of)
SCYTHE_COMPLEX_FUNCTION(acos, sycl::detail::complexes::acos_of)
SCYTHE_COMPLEX_FUNCTION(atan, sycl::detail::complexes::atan_of)
SCYTHE_COMPLEX_FUNCTION(asinh, sycl::detail::complexes::asinh_of)
SCYTHE_COMPLEX_FUNCTION(acosh, sycl::detail::complexes::acosh_of)
SCYTHE_COMPLEX_FUNCTION(atanh, sycl::detail::complexes::atanh_of)
#undef SCYTHE_COMPLEX_FUNCTION

template <class T> complex<T> log10(const complex<T> &z) {
  using F = sycl::detail::complexes::computed<T>;
  const std::complex<F> l = std::log(sycl::detail::complexes::to_std(z));
  constexpr F scale = static_cast<F>(0.434294481903251827651);
  return sycl::detail::complexes::from_std<T>({l.real() * scale, l.imag() * scale});
}

template <class T> complex<T> pow(const complex<T> &x, const complex<T> &y) {
  return sycl::detail::complexes::from_std<T>(
      std::pow(sycl::detail::complexes::to_std(x), sycl::detail::complexes::to_std(y)));
}
template <class T, class U, class R = sycl::detail::complexes::promoted<T, U>,
          class = std::enable_if_t<!std::is_same_v<T, U>>>
complex<R> pow(const complex<T> &x, const complex<U> &y) {
  return pow(complex<R>(x), complex<R>(y));
}
template <class T, class U, class R = sycl::detail::complexes::promoted_parts<complex<T>, U>>
complex<R> pow(const complex<T> &x, const U &y) {
  return pow(complex<R>(x), complex<R>(static_cast<R>(y)));
}
template <class T, class U, class R = sycl::detail::complexes::promoted_parts<T, complex<U>>,
          class = sycl::detail::complexes::if_real<T>>
complex<R> pow(const T &x, const complex<U> &y) {
  return pow(complex<R>(static_cast<R>(x)), complex<R>(y));
}

} // namespace sycl::ext::oneapi::experimental

#endif
