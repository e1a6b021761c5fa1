// Relational functions on scalars. Comparisons with NaN are false, but `isnotequal`'s and `isunordered`'s.
#ifndef SCYTHE_DETAIL_BUILTINS_RELATIONAL_HPP
#define SCYTHE_DETAIL_BUILTINS_RELATIONAL_HPP

#include <sycl/detail/builtins_types.hpp>

namespace sycl {

template <class T, class = detail::if_float<T>> constexpr bool isequal(T x, T y) { return x == y; }
template <class T, class = detail::if_float<T>> constexpr bool isnotequal(T x, T y) { return x != y; }
template <class T, class = detail::if_float<T>> constexpr bool isgreater(T x, T y) { return x > y; }
template <class T, class = detail::if_float<T>> constexpr bool isgreaterequal(T x, T y) { return x >= y; }
template <class T, class = detail::if_float<T>> constexpr bool isless(T x, T y) { return x < y; }
template <class T, class = detail::if_float<T>> constexpr bool islessequal(T x, T y) { return x <= y; }
template <class T, class = detail::if_float<T>> constexpr bool islessgreater(T x, T y) { return x < y || x > y; }
template <class T, class = detail::if_float<T>> constexpr bool isordered(T x, T y) { return x == x && y == y; }
template <class T, class = detail::if_float<T>> constexpr bool isunordered(T x, T y) { return x != x || y != y; }

template <class T, class = detail::if_float<T>> bool isnan(T x) { return __builtin_isnan(x); }
template <class T, class = detail::if_float<T>> bool isinf(T x) { return __builtin_isinf(x); }
template <class T, class = detail::if_float<T>> bool isfinite(T x) { return __builtin_isfinite(x); }
template <class T, class = detail::if_float<T>> bool isnormal(T x) { return __builtin_isnormal(x); }
template <class T, class = detail::if_float<T>> bool signbit(T x) { return __builtin_signbit(x); }

// A scalar is true for these where its highest bit is set, as in masks of vectors.
template <class T, class = detail::if_integer<T>> constexpr bool any(T x) {
  return (static_cast<std::make_unsigned_t<T>>(x) >> (sizeof(T) * 8 - 1)) != 0;
}
template <class T, class = detail::if_integer<T>> constexpr bool all(T x) { return sycl::any(x); }

// Each bit of the result is that of `y` where the bit of `mask` is set, else that of `x`.
template <class T, class = detail::if_number<T>> T bitselect(T x, T y, T mask) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>((x & ~mask) | (y & mask));
  } else {
    using U = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    const U m = detail::bits_as<U>(mask);
    return detail::bits_as<T>(static_cast<U>((detail::bits_as<U>(x) & ~m) | (detail::bits_as<U>(y) & m)));
  }
}
template <class T, class = detail::if_number<T>> constexpr T select(T if_false, T if_true, bool condition) {
  return condition ? if_true : if_false;
}

} // namespace sycl

#endif
