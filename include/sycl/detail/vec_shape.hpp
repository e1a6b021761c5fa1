// The common properties of vectors, their views and mathematical arrays: element type, number of
// elements, and the result type of comparisons. Operators and built-in functions use them, so that
// one definition serves all.
#ifndef SCYTHE_DETAIL_VEC_SHAPE_HPP
#define SCYTHE_DETAIL_VEC_SHAPE_HPP

#include <sycl/half.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// For operators and functions over elements. In kernels a call would keep vectors in memory, and
// the largest functions exceed the optimiser's inlining limit.
#ifdef SCYTHE_DEVICE_PASS
#define SCYTHE_BY_ELEMENT __attribute__((always_inline))
#else
#define SCYTHE_BY_ELEMENT
#endif

namespace sycl {

template <class T, int N> class vec;
template <class T, std::size_t N> class marray;
namespace ext::oneapi {
class bfloat16;
}

namespace detail {

namespace elementwise {
// A view of the elements `I` of a `vec<T, N>`.
template <class T, int N, bool Writable, int... I> class view;
} // namespace elementwise

// The signed integer of a size. It is the element type of vector comparisons.
template <std::size_t Size>
using signed_of_size = std::conditional_t<
    Size == 1, std::int8_t,
    std::conditional_t<Size == 2, std::int16_t,
                       std::conditional_t<Size == 4, std::int32_t, std::int64_t>>>;

template <class T> inline constexpr bool is_half = std::is_same_v<T, half>;
template <class T>
inline constexpr bool is_float =
    std::is_same_v<T, float> || std::is_same_v<T, double> || is_half<T>;
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T> inline constexpr bool is_number = std::is_arithmetic_v<T> || is_half<T>;
// The element types of vector arithmetic. Built-in functions only accept the numbers.
template <class T> inline constexpr bool is_bfloat16 = std::is_same_v<T, ext::oneapi::bfloat16>;
template <class T> inline constexpr bool is_vec_number = is_number<T> || is_bfloat16<T>;

// Any other type.
template <class V> struct shape {
  static constexpr bool is_vector = false, is_marray = false;
  static constexpr int count = 0;
  using element = V;
  using value = V;
  template <class U> using rebind = U;
};
template <class T, int N> struct shape<vec<T, N>> {
  static constexpr bool is_vector = true, is_marray = false;
  static constexpr int count = N;
  using element = T;
  using value = vec<T, N>;
  template <class U> using rebind = vec<U, N>;
  using mask = vec<signed_of_size<sizeof(T)>, N>;
  static constexpr signed char yes = -1;
  static constexpr bool has_arithmetic = is_vec_number<T>, has_integers = std::is_integral_v<T>,
                        has_bits = std::is_integral_v<T> || std::is_same_v<T, std::byte>;
};
template <class T, int N, bool W, int... I>
struct shape<elementwise::view<T, N, W, I...>> : shape<vec<T, static_cast<int>(sizeof...(I))>> {};
template <class T, std::size_t N> struct shape<marray<T, N>> {
  static constexpr bool is_vector = false, is_marray = true;
  static constexpr int count = static_cast<int>(N);
  using element = T;
  using value = marray<T, N>;
  template <class U> using rebind = marray<U, N>;
  using mask = marray<bool, N>;
  static constexpr bool yes = true;
  static constexpr bool has_arithmetic = true, has_integers = !is_float<T>, has_bits = !is_float<T>;
};
template <class V> inline constexpr bool has_elements = shape<V>::count != 0;

// The vector or array that results from an operation on `A` and `B`. One operand has elements. The
// other has as many elements of the same type, or converts to the element type or to the whole
// type.
template <class V, class Other>
inline constexpr bool joins = std::is_convertible_v<const Other &, typename shape<V>::element> ||
                              std::is_convertible_v<const Other &, typename shape<V>::value>;
template <class A, class B, bool = has_elements<A>, bool = has_elements<B>> struct joined {};
template <class A, class B>
struct joined<A, B, true, false> : std::enable_if<joins<A, B>, typename shape<A>::value> {};
template <class A, class B>
struct joined<A, B, false, true> : std::enable_if<joins<B, A>, typename shape<B>::value> {};
template <class A, class B>
struct joined<A, B, true, true>
    : std::conditional_t<joins<A, B>, std::enable_if<true, typename shape<A>::value>,
                         std::enable_if<joins<B, A>, typename shape<B>::value>> {};

// Returns an operand of such an operation as a vector or array: itself, a view's elements, or a
// scalar in each element.
template <class V, class A> SCYTHE_BY_ELEMENT constexpr decltype(auto) whole(const A &a) {
  if constexpr (std::is_same_v<A, V>)
    return (a);
  else if constexpr (std::is_same_v<typename shape<A>::value, V> ||
                     !std::is_convertible_v<const A &, typename shape<V>::element>)
    return static_cast<V>(a);
  else
    return V(static_cast<typename shape<V>::element>(a));
}

} // namespace detail
} // namespace sycl

#endif
