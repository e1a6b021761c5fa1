// Relational functions. Comparisons with NaN are false, except for `isnotequal` and `isunordered`.
// For vectors, true is -1 in an integer of the element's size. For mathematical arrays and scalars,
// the result is a bool.
#ifndef SCYTHE_DETAIL_BUILTINS_RELATIONAL_HPP
#define SCYTHE_DETAIL_BUILTINS_RELATIONAL_HPP

#include <sycl/detail/builtins_types.hpp>

namespace sycl {

namespace detail::element {

template <class E, class T> constexpr bool is_normal(T x) {
  constexpr T smallest_normal = is_half<E>       ? T(0x1p-14f)
                                : sizeof(E) == 4 ? T(0x1p-126f)
                                                 : static_cast<T>(0x1p-1022);
  const T size = x < T(0) ? -x : x;
  return size >= smallest_normal && size <= static_cast<T>(std::numeric_limits<E>::max());
}
// The highest bit, which holds the truth value of an integer vector element.
template <class T> constexpr bool is_negative(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return x;
  else
    return (static_cast<std::make_unsigned_t<T>>(x) >> (sizeof(T) * 8 - 1)) != 0;
}
template <class T> T bitselect(T x, T y, T mask) {
  using U = unsigned_of_size<sizeof(T)>;
  const U m = bit_cast<U>(mask);
  return bit_cast<T>(static_cast<U>((bit_cast<U>(x) & static_cast<U>(~m)) | (bit_cast<U>(y) & m)));
}

} // namespace detail::element

#define SCYTHE_RELATION(expression)                                                                \
  detail::mask_of<R> r{};                                                                          \
  for (int i = 0; i < detail::length_of<R>; ++i)                                                   \
    detail::put(r, i, (expression) ? detail::mask_type<R>::yes : 0);                               \
  return r
#define SCYTHE_RELATION_1(name, expression)                                                        \
  template <class T, class R = detail::floats<T>>                                                  \
  SCYTHE_BY_ELEMENT constexpr detail::mask_of<R> name(const T &x) {                                \
    using E [[maybe_unused]] = typename detail::shape<R>::element;                                 \
    SCYTHE_RELATION(expression);                                                                   \
  }
#define SCYTHE_RELATION_2(name, expression)                                                        \
  template <class A, class B, class R = detail::floats<A, B>>                                      \
  SCYTHE_BY_ELEMENT constexpr detail::mask_of<R> name(const A &x, const B &y) {                    \
    SCYTHE_RELATION(expression);                                                                   \
  }
SCYTHE_RELATION_2(isequal, SCYTHE_AT(x) == SCYTHE_AT(y))
SCYTHE_RELATION_2(isnotequal, SCYTHE_AT(x) != SCYTHE_AT(y))
SCYTHE_RELATION_2(isgreater, SCYTHE_AT(x) > SCYTHE_AT(y))
SCYTHE_RELATION_2(isgreaterequal, SCYTHE_AT(x) >= SCYTHE_AT(y))
SCYTHE_RELATION_2(isless, SCYTHE_AT(x) < SCYTHE_AT(y))
SCYTHE_RELATION_2(islessequal, SCYTHE_AT(x) <= SCYTHE_AT(y))
SCYTHE_RELATION_2(islessgreater, SCYTHE_AT(x) < SCYTHE_AT(y) || SCYTHE_AT(x) > SCYTHE_AT(y))
SCYTHE_RELATION_2(isordered, SCYTHE_AT(x) == SCYTHE_AT(x) && SCYTHE_AT(y) == SCYTHE_AT(y))
SCYTHE_RELATION_2(isunordered, SCYTHE_AT(x) != SCYTHE_AT(x) || SCYTHE_AT(y) != SCYTHE_AT(y))
SCYTHE_RELATION_1(isnan, SCYTHE_AT(x) != SCYTHE_AT(x))
SCYTHE_RELATION_1(isinf, __builtin_isinf(static_cast<detail::wide<detail::plain<E>>>(SCYTHE_AT(x))))
SCYTHE_RELATION_1(isfinite,
                  __builtin_isfinite(static_cast<detail::wide<detail::plain<E>>>(SCYTHE_AT(x))))
SCYTHE_RELATION_1(isnormal, detail::element::is_normal<E>(SCYTHE_AT(x)))
SCYTHE_RELATION_1(signbit,
                  __builtin_signbit(static_cast<detail::wide<detail::plain<E>>>(SCYTHE_AT(x))))
#undef SCYTHE_RELATION_1
#undef SCYTHE_RELATION_2
#undef SCYTHE_RELATION

namespace detail {

template <class T>
using integral_operands = std::enable_if_t<std::is_integral_v<typename any_operands<T>::element>,
                                           typename any_operands<T>::type>;
// Functions of vectors return an int, as in OpenCL.
template <class V> using answer = std::conditional_t<shape<V>::is_vector, int, bool>;

} // namespace detail

template <class T, class V = detail::integral_operands<T>>
SCYTHE_BY_ELEMENT constexpr detail::answer<V> any(const T &x) {
  bool found = false;
  for (int i = 0; i < detail::length_of<V>; ++i)
    found =
        detail::element::is_negative(detail::at<typename detail::shape<V>::element>(x, i)) || found;
  return found;
}
template <class T, class V = detail::integral_operands<T>>
SCYTHE_BY_ELEMENT constexpr detail::answer<V> all(const T &x) {
  bool without_exception = true;
  for (int i = 0; i < detail::length_of<V>; ++i)
    without_exception =
        detail::element::is_negative(detail::at<typename detail::shape<V>::element>(x, i)) &&
        without_exception;
  return without_exception;
}

// Each bit of the result is the bit of `b` if the bit of `mask` is set, and the bit of `a`
// otherwise.
template <class A, class B, class C, class R = detail::numbers<A, B, C>>
SCYTHE_BY_ELEMENT R bitselect(const A &a, const B &b, const C &mask) {
  using E = typename detail::shape<R>::element;
  R r{};
  for (int i = 0; i < detail::length_of<R>; ++i)
    detail::put(r, i,
                detail::element::bitselect<E>(static_cast<E>(detail::at<E>(a, i)),
                                              static_cast<E>(detail::at<E>(b, i)),
                                              static_cast<E>(detail::at<E>(mask, i))));
  return r;
}

template <class T, class = std::enable_if_t<detail::is_number<T>>>
constexpr T select(const T &if_false, const T &if_true, bool condition) {
  return condition ? if_true : if_false;
}
template <class A, class B, class C, class R = detail::numbers<A, B>,
          class = std::enable_if_t<detail::has_elements<R> &&
                                   detail::shape<R>::count == detail::shape<C>::count &&
                                   std::is_integral_v<typename detail::shape<C>::element>>>
SCYTHE_BY_ELEMENT constexpr R select(const A &if_false, const B &if_true, const C &condition) {
  using E = typename detail::shape<R>::element;
  R r{};
  for (int i = 0; i < detail::length_of<R>; ++i)
    r[i] = detail::element::is_negative(condition[i]) ? static_cast<E>(detail::at<E>(if_true, i))
                                                      : static_cast<E>(detail::at<E>(if_false, i));
  return r;
}

} // namespace sycl

#endif
