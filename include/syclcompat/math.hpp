// Mathematical functions: vectors inside of integers, complex numbers, dot products of bytes, and
// comparisons.
#ifndef SYCLCOMPAT_MATH_HPP
#define SYCLCOMPAT_MATH_HPP

#include <syclcompat/defs.hpp>
#include <syclcompat/math_extend.hpp>

#include <sycl/ext/oneapi/experimental/complex/complex.hpp>

#include <cmath>

namespace syclcompat {

// --- Functions as objects

#define SYCLCOMPAT_FUNCTOR(name, function)                                                         \
  struct name {                                                                                    \
    template <class T> auto operator()(const T x, const T y) const {                               \
      return sycl::function(x, y);                                                                 \
    }                                                                                              \
  };
SYCLCOMPAT_FUNCTOR(abs_diff, abs_diff)
SYCLCOMPAT_FUNCTOR(add_sat, add_sat)
SYCLCOMPAT_FUNCTOR(rhadd, rhadd)
SYCLCOMPAT_FUNCTOR(hadd, hadd)
SYCLCOMPAT_FUNCTOR(sub_sat, sub_sat)
#undef SYCLCOMPAT_FUNCTOR
struct abs {
  template <class T> auto operator()(const T x) const { return sycl::abs(x); }
};
struct maximum {
  template <class T> auto operator()(const T x, const T y) const { return sycl::max(x, y); }
};
struct minimum {
  template <class T> auto operator()(const T x, const T y) const { return sycl::min(x, y); }
};

// --- Integers as vectors of type `V`

namespace detail {
// A vector of two or four elements as the bits of an integer, and back.
template <class V, class T> V vector_of(T bits) {
  static_assert(sizeof(V) == sizeof(T), "the vector and the integer must have the same size");
  return sycl::bit_cast<V>(bits);
}
template <class T, class V> T bits_of(const V &v) {
  static_assert(sizeof(V) == sizeof(T), "the vector and the integer must have the same size");
  return sycl::bit_cast<T>(v);
}
} // namespace detail

template <class V, class F> unsigned vectorized_binary(unsigned a, unsigned b, const F f) {
  return detail::bits_of<unsigned>(V(f(detail::vector_of<V>(a), detail::vector_of<V>(b))));
}
template <class V, class F> unsigned vectorized_unary(unsigned a, const F f) {
  const auto result = f(detail::vector_of<V>(a));
  return detail::bits_of<unsigned>(result);
}
template <class V, class T> T vectorized_max(T a, T b) {
  return detail::bits_of<T>(sycl::max(detail::vector_of<V>(a), detail::vector_of<V>(b)));
}
template <class V, class T> T vectorized_min(T a, T b) {
  return detail::bits_of<T>(sycl::min(detail::vector_of<V>(a), detail::vector_of<V>(b)));
}
// All bits of an element are set where `a` is greater.
template <class V, class T> T vectorized_isgreater(T a, T b) {
  return detail::bits_of<T>(detail::vector_of<V>(a) > detail::vector_of<V>(b));
}
template <class V> unsigned vectorized_sum_abs_diff(unsigned a, unsigned b) {
  const auto difference = sycl::abs_diff(detail::vector_of<V>(a), detail::vector_of<V>(b));
  unsigned sum = 0;
  for (int i = 0; i < int(V::size()); ++i)
    sum += unsigned(difference[i]);
  return sum;
}

// --- Lengths and complex numbers

inline float fast_length(const float *a, int len) {
  float sum = 0;
  for (int i = 0; i < len; ++i)
    sum += a[i] * a[i];
  return len == 1 ? sycl::fabs(a[0]) : sycl::sqrt(sum);
}
template <class T> T length(const T *a, const int len) {
  T sum = 0;
  for (int i = 0; i < len; ++i)
    sum += a[i] * a[i];
  return len == 1 ? sycl::fabs(a[0]) : sycl::sqrt(sum);
}

namespace detail {
template <class T>
sycl::ext::oneapi::experimental::complex<T> complex_of(const sycl::vec<T, 2> &v) {
  return {v[0], v[1]};
}
template <class T> sycl::vec<T, 2> pair_of(const sycl::ext::oneapi::experimental::complex<T> &c) {
  return {c.real(), c.imag()};
}
} // namespace detail
template <class T> sycl::vec<T, 2> cmul(sycl::vec<T, 2> x, sycl::vec<T, 2> y) {
  return detail::pair_of<T>(detail::complex_of(x) * detail::complex_of(y));
}
template <class T> sycl::vec<T, 2> cdiv(sycl::vec<T, 2> x, sycl::vec<T, 2> y) {
  return detail::pair_of<T>(detail::complex_of(x) / detail::complex_of(y));
}
template <class T> T cabs(sycl::vec<T, 2> x) {
  return sycl::ext::oneapi::experimental::abs(detail::complex_of(x));
}
template <class T> sycl::vec<T, 2> conj(sycl::vec<T, 2> x) { return {x[0], -x[1]}; }
// Multiplies the pairs and adds the third one.
template <class T>
sycl::vec<T, 2> cmul_add(const sycl::vec<T, 2> a, const sycl::vec<T, 2> b,
                         const sycl::vec<T, 2> c) {
  return {a[0] * b[0] - a[1] * b[1] + c[0], a[0] * b[1] + a[1] * b[0] + c[1]};
}

// --- Scalars

template <class T> T clamp(T value, T least, T most) { return sycl::clamp(value, least, most); }
template <class A, class B> auto max(A a, B b) {
  using common = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<common>)
    return sycl::fmax(common(a), common(b));
  else
    return sycl::max(common(a), common(b));
}
template <class A, class B> auto min(A a, B b) {
  using common = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<common>)
    return sycl::fmin(common(a), common(b));
  else
    return sycl::min(common(a), common(b));
}
template <class T> bool isnan(const T a) { return sycl::isnan(a); }
// The result is not a number if an operand is not.
template <class A, class B> auto fmax_nan(A a, B b) {
  using common = std::common_type_t<A, B>;
  return a != a ? common(a) : b != b ? common(b) : sycl::fmax(common(a), common(b));
}
template <class A, class B> auto fmin_nan(A a, B b) {
  using common = std::common_type_t<A, B>;
  return a != a ? common(a) : b != b ? common(b) : sycl::fmin(common(a), common(b));
}
template <class T> T relu(const T a) { return a != a || a > T(0) ? a : T(0); }
template <class B, class E> auto pow(B base, E exponent) {
  using common = std::conditional_t<std::is_integral_v<B>, double, B>;
  if constexpr (std::is_integral_v<E>)
    return sycl::pown(common(base), int(exponent));
  else
    return sycl::pow(common(base), common(exponent));
}
// Comparisons whose result is false, or true if `unordered`, for operands that are not numbers.
template <class T, class F> bool compare(const T a, const T b, const F f) { return f(a, b); }
template <class T, class F> bool unordered_compare(const T a, const T b, const F f) {
  return a != a || b != b || f(a, b);
}
template <class T> bool compare(const T a, const T b, const std::not_equal_to<> f) {
  return a == a && b == b && f(a, b);
}

// --- Shifts of two words, bit fields, and products of parts

inline unsigned funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned((std::uint64_t(high) << 32 | low) << (shift & 31u) >> 32);
}
inline unsigned funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return unsigned((std::uint64_t(high) << 32 | low) << sycl::min(shift, 32u) >> 32);
}
inline unsigned funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned((std::uint64_t(high) << 32 | low) >> (shift & 31u));
}
inline unsigned funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return unsigned((std::uint64_t(high) << 32 | low) >> sycl::min(shift, 32u));
}

// The field of `bits` bits from position `start`, extended by the sign of `T`.
template <class T> T bfe(const T source, const std::uint32_t start, const std::uint32_t bits) {
  constexpr unsigned width = 8 * sizeof(T);
  using U = std::make_unsigned_t<T>;
  if (bits == 0)
    return 0;
  const unsigned first = start & 0xff, count = bits & 0xff;
  const U shifted = first >= width ? (std::is_signed_v<T> && source < 0 ? U(~U(0)) : U(0))
                                   : U(T(source) >> first);
  if (count >= width || (std::is_signed_v<T> && first + count >= width))
    return T(shifted);
  const unsigned rest = width - count;
  return T(T(U(shifted << rest)) >> rest);
}
template <class T> T bfe_safe(const T source, const std::uint32_t start, const std::uint32_t bits) {
  return bfe(source, start, bits);
}
// `y` with the low `bits` bits of `x` at position `start`.
template <class T>
T bfi(const T x, const T y, const std::uint32_t start, const std::uint32_t bits) {
  static_assert(std::is_unsigned_v<T>, "bfi: the operands must be unsigned");
  constexpr unsigned width = 8 * sizeof(T);
  const unsigned first = start & 0xff, count = bits & 0xff;
  if (first >= width || count == 0)
    return y;
  const T ones = T(~T(0)), field = T((count >= width ? ones : T(~T(ones << count))) << first);
  return T((y & T(~field)) | (T(x << first) & field));
}
template <class T>
T bfi_safe(const T x, const T y, const std::uint32_t start, const std::uint32_t bits) {
  return bfi(x, y, start, bits);
}

namespace detail {
// Part `index` of a word, as a number of the signedness of `T`.
template <class Part, class T> auto part(T word, int index) {
  using signed_part =
      std::conditional_t<std::is_signed_v<T>, std::make_signed_t<Part>, std::make_unsigned_t<Part>>;
  return signed_part(std::make_unsigned_t<T>(word) >> (8 * sizeof(Part) * unsigned(index)));
}
template <class A, class B>
using dot_result =
    std::conditional_t<std::is_unsigned_v<A> && std::is_unsigned_v<B>, std::uint32_t, std::int32_t>;
template <class A, class B>
inline constexpr bool are_words =
    sizeof(A) == 4 && sizeof(B) == 4 && std::is_integral_v<A> && std::is_integral_v<B>;
template <class A, class B, class C> auto dot2(A a, B b, C c, int first_byte) {
  static_assert(are_words<A, B>, "dp2a: the operands must be 32-bit integers");
  std::uint32_t sum = std::uint32_t(c);
  for (int i = 0; i < 2; ++i)
    sum += std::uint32_t(part<std::int16_t>(a, i)) *
           std::uint32_t(part<std::int8_t>(b, first_byte + i));
  return dot_result<A, B>(sum);
}
} // namespace detail
// The dot product of four bytes, or of two 16-bit numbers and two bytes, plus `c`.
template <class A, class B, class C> auto dp4a(A a, B b, C c) {
  static_assert(detail::are_words<A, B>, "dp4a: the operands must be 32-bit integers");
  std::uint32_t sum = std::uint32_t(c);
  for (int i = 0; i < 4; ++i)
    sum += std::uint32_t(detail::part<std::int8_t>(a, i)) *
           std::uint32_t(detail::part<std::int8_t>(b, i));
  return detail::dot_result<A, B>(sum);
}
template <class A, class B, class C> auto dp2a_lo(A a, B b, C c) {
  return detail::dot2(a, b, c, 0);
}
template <class A, class B, class C> auto dp2a_hi(A a, B b, C c) {
  return detail::dot2(a, b, c, 2);
}

} // namespace syclcompat

#endif
