// The operands of built-in functions, and the construction of their results. One function template
// serves scalars, vectors, swizzles and mathematical arrays. It loops over the elements, once for a
// scalar.
#ifndef SCYTHE_DETAIL_BUILTINS_TYPES_HPP
#define SCYTHE_DETAIL_BUILTINS_TYPES_HPP

#include <sycl/bit_cast.hpp>
#include <sycl/detail/vec_shape.hpp>
#include <sycl/vec.hpp>

#include <type_traits>
#include <utility>

namespace sycl::detail {

// The first operand with elements determines the type. The other operands have as many elements or
// are scalars.
template <class... A> struct first_with_elements {};
template <class A, class... Rest>
struct first_with_elements<A, Rest...>
    : std::conditional_t<has_elements<A>, std::enable_if<true, typename shape<A>::value>,
                         first_with_elements<Rest...>> {};
template <class V, class... A> struct operands_as : std::enable_if<(joins<V, A> && ...), V> {
  using element = typename shape<V>::element;
};
template <bool HasElements, class... A>
struct operands : operands_as<typename first_with_elements<A...>::type, A...> {};
// Scalars of one type.
template <class A, class... Rest>
struct operands<false, A, Rest...>
    : std::enable_if<is_number<A> && (std::is_same_v<A, Rest> && ...), A> {
  using element = A;
};

// Accepts a number, or a class that overload resolution converts to a number.
float convert_to_float(float);
double convert_to_float(double);
half convert_to_float(half);
template <class A, class = void> struct float_scalar {
  using type = std::conditional_t<is_number<A> && !std::is_same_v<A, long double>, A, void>;
};
template <class A>
struct float_scalar<
    A, std::enable_if_t<std::is_class_v<A> && !is_half<A>,
                        std::void_t<decltype(convert_to_float(std::declval<const A &>()))>>> {
  using type = decltype(convert_to_float(std::declval<const A &>()));
};
template <class A> using float_scalar_t = typename float_scalar<A>::type;

// Scalars of which at least one is floating-point. The result is the largest of the floating-point
// types.
template <bool HasElements, class... A> struct float_operands : operands<true, A...> {};
template <class... A>
using largest_float =
    std::conditional_t<(std::is_same_v<A, double> || ...), double,
                       std::conditional_t<(std::is_same_v<A, float> || ...), float, half>>;
template <class... A>
struct float_operands<false, A...> : std::enable_if<(!std::is_void_v<float_scalar_t<A>> && ...) &&
                                                        (is_float<float_scalar_t<A>> || ...),
                                                    largest_float<float_scalar_t<A>...>> {
  using element = largest_float<float_scalar_t<A>...>;
};

// Operands of functions that exist only for float. Other scalars are converted.
template <bool HasElements, class... A> struct single_operands : operands<true, A...> {};
template <class... A>
struct single_operands<false, A...>
    : std::enable_if<(std::is_convertible_v<const A &, float> && ...), float> {
  using element = float;
};

// The result types of functions of these operands, if such functions exist. These are classes,
// because every use of an alias would repeat its expansion in the many function declarations.
template <class... A> inline constexpr bool some_have_elements = (has_elements<A> || ...);
template <class... A> struct any_operands : operands<some_have_elements<A...>, A...> {};
template <class O, class = void> struct if_number {};
template <class O> struct if_number<O, std::enable_if_t<is_number<typename O::element>>> : O {};
template <class O, class = void> struct if_integer {};
template <class O> struct if_integer<O, std::enable_if_t<is_integer<typename O::element>>> : O {};
template <class O, class = void> struct if_32_bits {};
template <class O>
struct if_32_bits<
    O, std::enable_if_t<is_integer<typename O::element> && sizeof(typename O::element) == 4>> : O {
};
template <class O, class = void> struct if_float {};
template <class O> struct if_float<O, std::enable_if_t<is_float<typename O::element>>> : O {};
template <class O, class = void> struct if_single {};
template <class O>
struct if_single<O, std::enable_if_t<std::is_same_v<typename O::element, float>>> : O {};
// A scalar may be volatile.
template <class... A>
struct floats_of
    : if_float<float_operands<some_have_elements<A...>, std::remove_volatile_t<A>...>> {};
template <class... A>
struct singles_of : if_single<single_operands<some_have_elements<A...>, A...>> {};
template <class... A> using numbers = typename if_number<any_operands<A...>>::type;
template <class... A> using integers = typename if_integer<any_operands<A...>>::type;
template <class... A> using integers_of_32_bits = typename if_32_bits<any_operands<A...>>::type;
template <class... A> using floats = typename floats_of<A...>::type;
template <class... A> using singles = typename singles_of<A...>::type;
// An integer for each element of `V`, or one integer for all elements.
template <class V, class N>
using if_counts =
    std::enable_if_t<has_elements<N> ? std::is_integral_v<typename shape<N>::element> &&
                                           shape<N>::count == shape<V>::count
                                     : std::is_convertible_v<const N &, int>>;
template <class V> struct without_elements : std::enable_if<!has_elements<V>, V> {};
template <class V> struct with_elements : std::enable_if<has_elements<V>, V> {};
template <class V> using if_scalar = typename without_elements<V>::type;
template <class V> using if_elements = typename with_elements<V>::type;
// Types of second results: the same type, or an int for each element.
template <class V> using same = V;
template <class V> using count_each = typename shape<V>::template rebind<int>;
// Pointers, multi_ptr and similar types through which a `T` can be written.
template <class Pointer, class T, class = void> struct points_to {};
template <class Pointer, class T>
struct points_to<Pointer, T, std::void_t<decltype(*std::declval<Pointer &>())>>
    : std::enable_if<
          std::is_same_v<std::remove_reference_t<decltype(*std::declval<Pointer &>())>, T> &&
          std::is_assignable_v<decltype(*std::declval<Pointer &>()), T>> {};
template <class Pointer, class T> using if_points_to = typename points_to<Pointer, T>::type;

// The result of comparisons. It is a bool for scalars.
template <class V, bool = has_elements<V>> struct mask_type {
  using type = bool;
  static constexpr bool yes = true;
};
template <class V> struct mask_type<V, true> {
  using type = typename shape<V>::mask;
  static constexpr auto yes = shape<V>::yes;
};
template <class V> using mask_of = typename mask_type<V>::type;

// The type that the compiler computes in. On the host, half computes in float and rounds once.
// Float has 24 bits, more than twice half's 11 bits plus two, so the basic operations stay
// correctly rounded.
#ifdef SCYTHE_DEVICE_PASS
template <class T> using plain = std::conditional_t<is_half<T>, float16, T>;
#else
template <class T> using plain = std::conditional_t<is_half<T>, float, T>;
#endif
template <class T> constexpr plain<T> plain_of(const T &x) {
  if constexpr (is_half<T>)
    return static_cast<plain<T>>(scythe_plain(x));
  else
    return x;
}
// Returns element `i` of an operand as an element of `R`, which is a scalar or has elements. A
// scalar operand has the same value for every `i`.
template <class R, class V>
SCYTHE_BY_ELEMENT constexpr plain<typename shape<R>::element> at(const V &x, int i) {
  using E = typename shape<R>::element;
  if constexpr (has_elements<V>)
    return static_cast<plain<E>>(plain_of(x[i]));
  else if constexpr (std::is_class_v<V> && !is_half<V>)
    return at<E>(static_cast<E>(x), i);
  else
    return static_cast<plain<E>>(plain_of(x));
}
template <class V> inline constexpr int length_of = shape<V>::count == 0 ? 1 : shape<V>::count;
template <class V, class T> SCYTHE_BY_ELEMENT constexpr void put(V &result, int i, T x) {
  if constexpr (has_elements<V>)
    result[i] = static_cast<typename shape<V>::element>(x);
  else
    result = static_cast<V>(x);
}

// The type for computations that exceed the precision or range of half.
template <class T> using wide = std::conditional_t<std::is_same_v<T, float16>, float, T>;
template <std::size_t Size> using unsigned_of_size = std::make_unsigned_t<signed_of_size<Size>>;
// The next larger integer type, which holds sums and products of `T`. 64-bit integers have none.
template <class T>
using wider = std::enable_if_t<
    sizeof(T) < 8,
    std::conditional_t<std::is_signed_v<T>, signed_of_size<(sizeof(T) < 8 ? sizeof(T) * 2 : 8)>,
                       unsigned_of_size<(sizeof(T) < 8 ? sizeof(T) * 2 : 8)>>>;

template <class T> constexpr T largest() {
  using U = std::make_unsigned_t<T>;
  return std::is_signed_v<T> ? static_cast<T>(static_cast<U>(~U(0)) >> 1) : static_cast<T>(~U(0));
}
template <class T> constexpr T smallest() {
  return std::is_signed_v<T> ? static_cast<T>(-largest<T>() - 1) : T(0);
}

} // namespace sycl::detail

// The body of a function that computes each element of `R` by an expression of the operands at `i`.
#define SCYTHE_AT(x) detail::at<R>(x, i)
#define SCYTHE_EACH(...)                                                                           \
  R r{};                                                                                           \
  for (int i = 0; i < detail::length_of<R>; ++i)                                                   \
    detail::put(r, i, __VA_ARGS__);                                                                \
  return r

#endif
