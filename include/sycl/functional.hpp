// Function objects of group algorithms and reductions, and their identities.
#ifndef SCYTHE_FUNCTIONAL_HPP
#define SCYTHE_FUNCTIONAL_HPP

#include <sycl/detail/vec_shape.hpp>

#include <limits>
#include <type_traits>
#include <utility>

// Including all of `<functional>` takes as long as all headers of this folder.
#if __has_include(<bits/stl_function.h>)
#include <bits/stl_function.h>
#else
#include <functional>
#endif

namespace sycl {

template <class T = void> using plus = std::plus<T>;
template <class T = void> using multiplies = std::multiplies<T>;
template <class T = void> using bit_and = std::bit_and<T>;
template <class T = void> using bit_or = std::bit_or<T>;
template <class T = void> using bit_xor = std::bit_xor<T>;
template <class T = void> using logical_and = std::logical_and<T>;
template <class T = void> using logical_or = std::logical_or<T>;

namespace detail {

// The common type of a conditional expression, and the better of two values by an operator. Vectors
// and mathematical arrays are compared element by element.
template <class T, class U>
using common_value =
    std::decay_t<decltype(false ? std::declval<const T &>() : std::declval<const U &>())>;
#define SCYTHE_BETTER(name, op)                                                                    \
  template <class R, class T, class U> constexpr R name(const T &x, const U &y) {                  \
    if constexpr (has_elements<R>) {                                                               \
      R r{};                                                                                       \
      for (int i = 0; i < shape<R>::count; ++i)                                                    \
        r[i] = y[i] op x[i] ? y[i] : x[i];                                                         \
      return r;                                                                                    \
    } else {                                                                                       \
      return y op x ? static_cast<R>(y) : static_cast<R>(x);                                       \
    }                                                                                              \
  }
SCYTHE_BETTER(smaller_of, <)
SCYTHE_BETTER(larger_of, >)
#undef SCYTHE_BETTER

} // namespace detail

template <class T = void> struct minimum {
  constexpr T operator()(const T &x, const T &y) const { return detail::smaller_of<T>(x, y); }
};
template <> struct minimum<void> {
  using is_transparent = void;
  template <class T, class U>
  constexpr detail::common_value<T, U> operator()(const T &x, const U &y) const {
    return detail::smaller_of<detail::common_value<T, U>>(x, y);
  }
};
template <class T = void> struct maximum {
  constexpr T operator()(const T &x, const T &y) const { return detail::larger_of<T>(x, y); }
};
template <> struct maximum<void> {
  using is_transparent = void;
  template <class T, class U>
  constexpr detail::common_value<T, U> operator()(const T &x, const U &y) const {
    return detail::larger_of<detail::common_value<T, U>>(x, y);
  }
};

namespace detail {

enum class operation {
  other,
  add,
  mul,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  logical_and,
  logical_or
};

// The operation of a function object.
template <class Op> inline constexpr operation operation_of = operation::other;
template <class T> inline constexpr operation operation_of<std::plus<T>> = operation::add;
template <class T> inline constexpr operation operation_of<std::multiplies<T>> = operation::mul;
template <class T> inline constexpr operation operation_of<minimum<T>> = operation::min;
template <class T> inline constexpr operation operation_of<maximum<T>> = operation::max;
template <class T> inline constexpr operation operation_of<std::bit_and<T>> = operation::bit_and;
template <class T> inline constexpr operation operation_of<std::bit_or<T>> = operation::bit_or;
template <class T> inline constexpr operation operation_of<std::bit_xor<T>> = operation::bit_xor;
template <class T>
inline constexpr operation operation_of<std::logical_and<T>> = operation::logical_and;
template <class T>
inline constexpr operation operation_of<std::logical_or<T>> = operation::logical_or;

template <operation Op, class T>
inline constexpr bool operation_has_identity =
    is_number<T> &&
    (Op == operation::add || Op == operation::mul || Op == operation::min || Op == operation::max ||
     Op == operation::logical_and || Op == operation::logical_or ||
     (std::is_integral_v<T> && Op != operation::other));

template <operation Op, class T> constexpr T scalar_identity_of() {
  using limits = std::numeric_limits<T>;
  if constexpr (Op == operation::mul || Op == operation::logical_and)
    return T(1);
  else if constexpr (Op == operation::min)
    return limits::has_infinity ? limits::infinity() : limits::max();
  else if constexpr (Op == operation::max)
    return limits::has_infinity ? static_cast<T>(-limits::infinity()) : limits::lowest();
  else if constexpr (Op == operation::bit_and)
    return std::is_same_v<T, bool> ? T(1) : static_cast<T>(-1);
  else
    return T(0);
}
// For vectors and mathematical arrays, every element is the identity of the element type.
template <operation Op, class T> constexpr T identity_of() {
  if constexpr (has_elements<T>)
    return T(scalar_identity_of<Op, typename shape<T>::element>());
  else
    return scalar_identity_of<Op, T>();
}

template <class Op, class T, bool = operation_has_identity<operation_of<Op>, std::remove_cv_t<T>>>
struct known_identity_base {};
template <class Op, class T> struct known_identity_base<Op, T, true> {
  static constexpr std::remove_cv_t<T> value = identity_of<operation_of<Op>, std::remove_cv_t<T>>();
};

} // namespace detail

template <class BinaryOperation, class AccumulatorT>
struct known_identity : detail::known_identity_base<BinaryOperation, AccumulatorT> {};
template <class BinaryOperation, class AccumulatorT>
inline constexpr AccumulatorT known_identity_v =
    known_identity<BinaryOperation, AccumulatorT>::value;

template <class BinaryOperation, class AccumulatorT>
struct has_known_identity
    : std::bool_constant<detail::operation_has_identity<detail::operation_of<BinaryOperation>,
                                                        std::remove_cv_t<AccumulatorT>>> {};
template <class BinaryOperation, class AccumulatorT>
inline constexpr bool has_known_identity_v =
    has_known_identity<BinaryOperation, AccumulatorT>::value;

} // namespace sycl

#endif
