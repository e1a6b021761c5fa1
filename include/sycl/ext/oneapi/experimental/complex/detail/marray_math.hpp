// Functions of arrays of complex numbers, element by element.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COMPLEX_MARRAY_MATH_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COMPLEX_MARRAY_MATH_HPP

#include <sycl/ext/oneapi/experimental/complex/detail/complex_math.hpp>

namespace sycl::detail::complexes {

template <class T> inline constexpr std::size_t elements_of = 0;
template <class T, std::size_t N> inline constexpr std::size_t elements_of<marray<T, N>> = N;

template <class T> const T &element(const T &x, std::size_t) { return x; }
template <class T, std::size_t N> const T &element(const marray<T, N> &x, std::size_t i) {
  return x[i];
}
template <class A> using element_t = std::decay_t<decltype(element(std::declval<const A &>(), 0))>;

// Calls `f` with the operands' elements. A scalar has the same value for all of them.
template <std::size_t N, class F, class... A> auto by_element(F f, const A &...operands) {
  marray<decltype(f(element(operands, 0)...)), N> r;
  for (std::size_t i = 0; i < N; ++i)
    r[i] = f(element(operands, i)...);
  return r;
}

// The number of elements of two operands, of which at least one is an array.
template <class A, class B>
using if_arrays =
    std::enable_if_t<(elements_of<A> || elements_of<B>) &&
                     (!elements_of<A> || !elements_of<B> || elements_of<A> == elements_of<B>)>;
template <class A, class B>
inline constexpr std::size_t elements_of_both = elements_of<A> ? elements_of<A> : elements_of<B>;

template <class T> inline constexpr bool is_complex = false;
template <class T> inline constexpr bool is_complex<complex<T>> = true;

} // namespace sycl::detail::complexes

namespace sycl::ext::oneapi::experimental {

#define SCYTHE_COMPLEX_ARRAY(name, R)                                                              \
  template <class T, std::size_t N> marray<R, N> name(const marray<complex<T>, N> &x) {            \
    return sycl::detail::complexes::by_element<N>(                                                 \
        [](const complex<T> &z) { return experimental::name(z); }, x);                             \
  }
SCYTHE_COMPLEX_ARRAY(real, T)
SCYTHE_COMPLEX_ARRAY(imag, T)
SCYTHE_COMPLEX_ARRAY(abs, T)
SCYTHE_COMPLEX_ARRAY(arg, T)
SCYTHE_COMPLEX_ARRAY(norm, T)
SCYTHE_COMPLEX_ARRAY(conj, complex<T>)
SCYTHE_COMPLEX_ARRAY(proj, complex<T>)
SCYTHE_COMPLEX_ARRAY(exp, complex<T>)
SCYTHE_COMPLEX_ARRAY(log, complex<T>)
SCYTHE_COMPLEX_ARRAY(log10, complex<T>)
SCYTHE_COMPLEX_ARRAY(sqrt, complex<T>)
SCYTHE_COMPLEX_ARRAY(sin, complex<T>)
SCYTHE_COMPLEX_ARRAY(cos, complex<T>)
SCYTHE_COMPLEX_ARRAY(tan, complex<T>)
SCYTHE_COMPLEX_ARRAY(sinh, complex<T>)
SCYTHE_COMPLEX_ARRAY(cosh, complex<T>)
SCYTHE_COMPLEX_ARRAY(tanh, complex<T>)
SCYTHE_COMPLEX_ARRAY(asin, complex<T>)
SCYTHE_COMPLEX_ARRAY(acos, complex<T>)
SCYTHE_COMPLEX_ARRAY(atan, complex<T>)
SCYTHE_COMPLEX_ARRAY(asinh, complex<T>)
SCYTHE_COMPLEX_ARRAY(acosh, complex<T>)
SCYTHE_COMPLEX_ARRAY(atanh, complex<T>)
#undef SCYTHE_COMPLEX_ARRAY

template <class T, std::size_t N, class = sycl::detail::complexes::if_real<T>>
marray<complex<T>, N> proj(const marray<T, N> &x) {
  return sycl::detail::complexes::by_element<N>([](T y) { return experimental::proj(y); }, x);
}

template <class T, std::size_t N, class = sycl::detail::complexes::if_real<T>>
marray<complex<T>, N> polar(const marray<T, N> &rho, T theta = 0) {
  return sycl::detail::complexes::by_element<N>([](T r, T t) { return experimental::polar(r, t); },
                                                rho, theta);
}
template <class T, std::size_t N, class = sycl::detail::complexes::if_real<T>>
marray<complex<T>, N> polar(const marray<T, N> &rho, const marray<T, N> &theta) {
  return sycl::detail::complexes::by_element<N>([](T r, T t) { return experimental::polar(r, t); },
                                                rho, theta);
}
template <class T, std::size_t N, class = sycl::detail::complexes::if_real<T>>
marray<complex<T>, N> polar(T rho, const marray<T, N> &theta) {
  return sycl::detail::complexes::by_element<N>([](T r, T t) { return experimental::polar(r, t); },
                                                rho, theta);
}

// Either operand may be a scalar, and at least one must be complex.
template <class A, class B, class = sycl::detail::complexes::if_arrays<A, B>,
          class = std::enable_if_t<
              sycl::detail::complexes::is_complex<sycl::detail::complexes::element_t<A>> ||
              sycl::detail::complexes::is_complex<sycl::detail::complexes::element_t<B>>>>
auto pow(const A &x, const B &y) {
  return sycl::detail::complexes::by_element<sycl::detail::complexes::elements_of_both<A, B>>(
      [](const auto &base, const auto &exponent) { return experimental::pow(base, exponent); }, x,
      y);
}

} // namespace sycl::ext::oneapi::experimental

#endif
