// `ternary_bitwise`: any bitwise function of three integers (`sycl_ext_oneapi_ternary_bitwise`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_TERNARY_BITWISE_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_TERNARY_BITWISE_HPP

#include <sycl/marray.hpp>
#include <sycl/vec.hpp>

#include <cstdint>
#include <type_traits>

namespace sycl {
namespace detail {

// The type of the elements of a generic integer type, or void for other types.
template <class T, class = void> struct bits_of {
  using type = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, T, void>;
};
template <class T, int N> struct bits_of<vec<T, N>> : bits_of<T> {};
template <class T, std::size_t N> struct bits_of<marray<T, N>> : bits_of<T> {};

// Bit i of the table is the result for a = bit 0, b = bit 1 and c = bit 2 of i. The function is the
// sum of the products whose result is 1. Compilers reduce it to few instructions, or one.
template <std::uint8_t Table, class T>
constexpr T of_three_bits(const T &a, const T &b, const T &c) {
  T sum = T(a ^ a);
  if constexpr ((Table >> 0) & 1)
    sum = T(sum | T(T(~a) & T(T(~b) & T(~c))));
  if constexpr ((Table >> 1) & 1)
    sum = T(sum | T(a & T(T(~b) & T(~c))));
  if constexpr ((Table >> 2) & 1)
    sum = T(sum | T(T(~a) & T(b & T(~c))));
  if constexpr ((Table >> 3) & 1)
    sum = T(sum | T(a & T(b & T(~c))));
  if constexpr ((Table >> 4) & 1)
    sum = T(sum | T(T(~a) & T(T(~b) & c)));
  if constexpr ((Table >> 5) & 1)
    sum = T(sum | T(a & T(T(~b) & c)));
  if constexpr ((Table >> 6) & 1)
    sum = T(sum | T(T(~a) & T(b & c)));
  if constexpr ((Table >> 7) & 1)
    sum = T(sum | T(a & T(b & c)));
  return sum;
}

} // namespace detail

namespace ext::oneapi::experimental {

template <std::uint8_t Table, class T,
          class = std::enable_if_t<!std::is_void_v<typename sycl::detail::bits_of<T>::type>>>
constexpr T ternary_bitwise(T a, T b, T c) {
  return sycl::detail::of_three_bits<Table>(a, b, c);
}

} // namespace ext::oneapi::experimental
} // namespace sycl

#endif
