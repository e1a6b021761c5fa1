// Which operands the built-in functions take: constraints and conversions that their headers share.
#ifndef SCYTHE_DETAIL_BUILTINS_TYPES_HPP
#define SCYTHE_DETAIL_BUILTINS_TYPES_HPP

#include <sycl/detail/config.hpp>

#include <type_traits>
#include <utility>

namespace sycl::detail {

template <class T> using if_float = std::enable_if_t<std::is_same_v<T, float> || std::is_same_v<T, double>>;
template <class T>
using if_integer = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool>>;
template <class T> using if_number = std::enable_if_t<std::is_arithmetic_v<T>>;
// The type of a function of several numbers of which one at least is floating.
template <class... T>
using float_of = std::enable_if_t<(std::is_arithmetic_v<T> && ...) && (std::is_floating_point_v<T> || ...),
                                  std::common_type_t<T...>>;
// Pointers, multi_ptr and the like through which a `T` can be written.
template <class Pointer, class T>
using if_points_to =
    std::enable_if_t<std::is_same_v<std::remove_reference_t<decltype(*std::declval<Pointer &>())>, T> &&
                     std::is_assignable_v<decltype(*std::declval<Pointer &>()), T>>;

// The bits of `x` as another type of the same size. Both compilers copy no bytes for it.
template <class To, class From> To bits_as(From x) {
  static_assert(sizeof(To) == sizeof(From), "a bit pattern keeps its size");
  To to;
  __builtin_memcpy(&to, &x, sizeof(To));
  return to;
}

// The integers one size up, in which sums and products of `T` fit; 64 bits have none.
template <class T, unsigned Size = sizeof(T), bool Signed = std::is_signed_v<T>> struct wider;
template <class T> struct wider<T, 1, true> {
  using type = short;
};
template <class T> struct wider<T, 1, false> {
  using type = unsigned short;
};
template <class T> struct wider<T, 2, true> {
  using type = int;
};
template <class T> struct wider<T, 2, false> {
  using type = unsigned;
};
template <class T> struct wider<T, 4, true> {
  using type = long long;
};
template <class T> struct wider<T, 4, false> {
  using type = unsigned long long;
};

template <class T> constexpr T largest() {
  using U = std::make_unsigned_t<T>;
  return std::is_signed_v<T> ? static_cast<T>(static_cast<U>(~U(0)) >> 1) : static_cast<T>(~U(0));
}
template <class T> constexpr T smallest() { return std::is_signed_v<T> ? static_cast<T>(-largest<T>() - 1) : T(0); }

} // namespace sycl::detail

#endif
