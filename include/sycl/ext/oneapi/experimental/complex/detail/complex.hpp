// The class `complex` and its operators. Multiplication and division use the compiler's
// `std::complex`.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COMPLEX_CLASS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COMPLEX_CLASS_HPP

#include <sycl/builtins.hpp>
#include <sycl/half.hpp>
#include <sycl/marray.hpp>

#include <complex>
#include <istream>
#include <ostream>

namespace sycl {

class stream;

namespace ext::oneapi::experimental {
template <class T> class complex;
}

namespace detail::complexes {

using ext::oneapi::experimental::complex;

template <class T>
inline constexpr bool is_complex_part =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half>;
// Half computes in float, whose range holds every intermediate result.
template <class T> using computed = std::conditional_t<std::is_same_v<T, half>, float, T>;
template <class T> std::complex<computed<T>> to_std(const complex<T> &z) {
  return {static_cast<computed<T>>(z.real()), static_cast<computed<T>>(z.imag())};
}
template <class T> complex<T> from_std(const std::complex<computed<T>> &z) {
  return {static_cast<T>(z.real()), static_cast<T>(z.imag())};
}
// A template over the stream, so that the class may be incomplete here.
template <class Stream, class T> const Stream &write_to(const Stream &out, const complex<T> &z) {
  return out << '(' << z.real() << ',' << z.imag() << ')';
}

} // namespace detail::complexes

namespace ext::oneapi::experimental {

template <class T> class complex {
  static_assert(sycl::detail::complexes::is_complex_part<T>,
                "complex: the value type must be half, float or double");

public:
  using value_type = T;

  constexpr complex(T re = T(), T im = T()) : re_(re), im_(im) {}
  template <class X>
  constexpr complex(const complex<X> &z)
      : re_(static_cast<T>(z.real())), im_(static_cast<T>(z.imag())) {}
  template <class X>
  constexpr complex(const std::complex<X> &z)
      : re_(static_cast<T>(z.real())), im_(static_cast<T>(z.imag())) {}
  template <class X> constexpr operator std::complex<X>() const {
    return {static_cast<X>(re_), static_cast<X>(im_)};
  }

  constexpr T real() const { return re_; }
  constexpr T imag() const { return im_; }
  void real(T value) { re_ = value; }
  void imag(T value) { im_ = value; }

  complex &operator=(T x) {
    re_ = x;
    im_ = T();
    return *this;
  }

  friend complex operator+(const complex &z, const complex &w) {
    return {z.re_ + w.re_, z.im_ + w.im_};
  }
  friend complex operator+(const complex &z, T y) { return {z.re_ + y, z.im_}; }
  friend complex operator+(T x, const complex &w) { return {x + w.re_, w.im_}; }
  friend complex operator+(const complex &z) { return z; }
  friend complex operator-(const complex &z, const complex &w) {
    return {z.re_ - w.re_, z.im_ - w.im_};
  }
  friend complex operator-(const complex &z, T y) { return {z.re_ - y, z.im_}; }
  friend complex operator-(T x, const complex &w) { return {x - w.re_, -w.im_}; }
  friend complex operator-(const complex &z) { return {-z.re_, -z.im_}; }
  // The compiler's multiplication and division follow the C++ standard for infinite numbers and
  // NaN.
  friend complex operator*(const complex &z, const complex &w) {
    return sycl::detail::complexes::from_std<T>(sycl::detail::complexes::to_std(z) *
                                                sycl::detail::complexes::to_std(w));
  }
  friend complex operator*(const complex &z, T y) { return {z.re_ * y, z.im_ * y}; }
  friend complex operator*(T x, const complex &w) { return {x * w.re_, x * w.im_}; }
  friend complex operator/(const complex &z, const complex &w) {
    return sycl::detail::complexes::from_std<T>(sycl::detail::complexes::to_std(z) /
                                                sycl::detail::complexes::to_std(w));
  }
  friend complex operator/(const complex &z, T y) { return {z.re_ / y, z.im_ / y}; }
  friend complex operator/(T x, const complex &w) { return complex(x) / w; }

#define SCYTHE_COMPLEX_ASSIGNMENT(op)                                                              \
  friend complex &operator op## = (complex & z, T y) { return z = z op y; }                        \
  template <class X> friend complex &operator op## = (complex & z, const complex<X> &w) {          \
    return z = z op complex(w);                                                                    \
  }
  SCYTHE_COMPLEX_ASSIGNMENT(+)
  SCYTHE_COMPLEX_ASSIGNMENT(-)
  SCYTHE_COMPLEX_ASSIGNMENT(*)
  SCYTHE_COMPLEX_ASSIGNMENT(/)
#undef SCYTHE_COMPLEX_ASSIGNMENT

  friend constexpr bool operator==(const complex &z, const complex &w) {
    return z.re_ == w.re_ && z.im_ == w.im_;
  }
  friend constexpr bool operator==(const complex &z, T y) { return z.re_ == y && z.im_ == T(); }
  friend constexpr bool operator==(T x, const complex &w) { return w == x; }
  friend constexpr bool operator!=(const complex &z, const complex &w) { return !(z == w); }
  friend constexpr bool operator!=(const complex &z, T y) { return !(z == y); }
  friend constexpr bool operator!=(T x, const complex &w) { return !(w == x); }

  // The text format is that of `std::complex`.
  template <class C, class Traits>
  friend std::basic_istream<C, Traits> &operator>>(std::basic_istream<C, Traits> &is, complex &z) {
    std::complex<sycl::detail::complexes::computed<T>> read;
    if (is >> read)
      z = sycl::detail::complexes::from_std<T>(read);
    return is;
  }
  template <class C, class Traits>
  friend std::basic_ostream<C, Traits> &operator<<(std::basic_ostream<C, Traits> &os,
                                                   const complex &z) {
    return os << sycl::detail::complexes::to_std(z);
  }
  friend const stream &operator<<(const stream &out, const complex &z) {
    return sycl::detail::complexes::write_to(out, z);
  }

private:
  T re_, im_;
};

} // namespace ext::oneapi::experimental
} // namespace sycl

#endif
