// Operators of vectors, swizzles and mathematical arrays. Each is a loop over elements, which the
// compiler unrolls. Like the specification's hidden friends, they are only found through the
// operands' base class.
#ifndef SCYTHE_DETAIL_ELEMENTWISE_HPP
#define SCYTHE_DETAIL_ELEMENTWISE_HPP

#include <sycl/detail/vec_shape.hpp>

namespace sycl::detail::elementwise {

// Base of the operands. An operand with one element converts to its element type, and explicitly to
// other types.
template <class Derived, class T, bool One> struct operand {};
template <class Derived, class T> struct operand<Derived, T, true> {
  constexpr operator T() const { return static_cast<const Derived &>(*this)[0]; }
  template <class U, class = std::enable_if_t<(is_vec_number<U> || std::is_same_v<U, std::byte>) &&
                                              !std::is_same_v<U, T>>>
  explicit constexpr operator U() const {
    return static_cast<U>(static_cast<const Derived &>(*this)[0]);
  }
};

// The result types of the operators, if an operator exists. These are classes, because every use of
// an alias would repeat its expansion in the many operator declarations.
template <class J, class = void> struct if_arithmetic {};
template <class J>
struct if_arithmetic<J, std::enable_if_t<shape<typename J::type>::has_arithmetic>> : J {};
template <class J, class = void> struct if_integers {};
template <class J>
struct if_integers<J, std::enable_if_t<shape<typename J::type>::has_integers>> : J {};
template <class J, class = void> struct if_bits {};
template <class J> struct if_bits<J, std::enable_if_t<shape<typename J::type>::has_bits>> : J {};
template <class A, class B> struct both : joined<A, B> {};
template <class A, class B> using arithmetic = typename if_arithmetic<both<A, B>>::type;
template <class A, class B> using integers = typename if_integers<both<A, B>>::type;
template <class A, class B> using bits = typename if_bits<both<A, B>>::type;
template <class A, class B> using comparable = typename both<A, B>::type;
// Operands of one kind.
template <class A> using arithmetic_1 = arithmetic<A, typename shape<A>::value>;
template <class A> using bits_1 = bits<A, typename shape<A>::value>;

// The left side of an assignment: a vector, an array, or a writable swizzle, even a temporary one.
template <class V> inline constexpr bool is_view = false;
template <class T, int N, bool W, int... I>
inline constexpr bool is_view<view<T, N, W, I...>> = true;
template <class A, class V>
struct left_side : std::enable_if<!is_view<A> && std::is_same_v<A, V>> {};
template <class A, class V> using if_left = typename left_side<A, V>::type;
template <class T, int N, int... I> using writable = view<T, N, true, I...>;

// Assignments accept a braced list of elements. No type is deduced from it, so it converts to the
// type of the left side.
#define SCYTHE_BINARY(op, kind)                                                                    \
  template <class A, class B, class V = kind<A, B>>                                                \
  SCYTHE_BY_ELEMENT V operator op(const A &a, const B &b) {                                        \
    const V &x = whole<V>(a), &y = whole<V>(b);                                                    \
    V r;                                                                                           \
    for (int i = 0; i < shape<V>::count; ++i)                                                      \
      r[i] = static_cast<typename shape<V>::element>(x[i] op y[i]);                                \
    return r;                                                                                      \
  }                                                                                                \
  template <class A, class B = A, class = if_left<A, kind<A, B>>>                                  \
  SCYTHE_BY_ELEMENT A &operator op## = (A & a, const B &b) {                                       \
    return a = a op b;                                                                             \
  }                                                                                                \
  template <class T, int N, int... I, class B = vec<T, int(sizeof...(I))>,                         \
            class V = kind<writable<T, N, I...>, B>>                                               \
  SCYTHE_BY_ELEMENT const writable<T, N, I...> &operator op## =                                    \
      (const writable<T, N, I...> &a, const B &b) {                                                \
    return a = a op b;                                                                             \
  }
SCYTHE_BINARY(+, arithmetic)
SCYTHE_BINARY(-, arithmetic)
SCYTHE_BINARY(*, arithmetic)
SCYTHE_BINARY(/, arithmetic)
SCYTHE_BINARY(%, integers)
SCYTHE_BINARY(&, bits)
SCYTHE_BINARY(|, bits)
SCYTHE_BINARY(^, bits)
SCYTHE_BINARY(<<, integers)
SCYTHE_BINARY(>>, integers)
#undef SCYTHE_BINARY

#define SCYTHE_COMPARISON(op, kind)                                                                \
  template <class A, class B, class V = kind<A, B>>                                                \
  SCYTHE_BY_ELEMENT typename shape<V>::mask operator op(const A &a, const B &b) {                  \
    const V &x = whole<V>(a), &y = whole<V>(b);                                                    \
    typename shape<V>::mask r;                                                                     \
    for (int i = 0; i < shape<V>::count; ++i)                                                      \
      r[i] = x[i] op y[i] ? shape<V>::yes : 0;                                                     \
    return r;                                                                                      \
  }
SCYTHE_COMPARISON(&&, arithmetic)
SCYTHE_COMPARISON(||, arithmetic)
SCYTHE_COMPARISON(==, comparable)
SCYTHE_COMPARISON(!=, comparable)
SCYTHE_COMPARISON(<, comparable)
SCYTHE_COMPARISON(>, comparable)
SCYTHE_COMPARISON(<=, comparable)
SCYTHE_COMPARISON(>=, comparable)
#undef SCYTHE_COMPARISON

#define SCYTHE_UNARY(op, kind)                                                                     \
  template <class A, class V = kind<A>> SCYTHE_BY_ELEMENT V operator op(const A &a) {              \
    const V &x = whole<V>(a);                                                                      \
    V r;                                                                                           \
    for (int i = 0; i < shape<V>::count; ++i)                                                      \
      r[i] = static_cast<typename shape<V>::element>(op x[i]);                                     \
    return r;                                                                                      \
  }
SCYTHE_UNARY(+, arithmetic_1)
SCYTHE_UNARY(-, arithmetic_1)
SCYTHE_UNARY(~, bits_1)
#undef SCYTHE_UNARY

template <class A, class V = arithmetic_1<A>>
SCYTHE_BY_ELEMENT typename shape<V>::mask operator!(const A &a) {
  const V &x = whole<V>(a);
  typename shape<V>::mask r;
  for (int i = 0; i < shape<V>::count; ++i)
    r[i] = !x[i] ? shape<V>::yes : 0;
  return r;
}

#define SCYTHE_STEP(op)                                                                            \
  template <class A, class V = arithmetic_1<A>, class = if_left<A, A>>                             \
  SCYTHE_BY_ELEMENT A &operator op(A &a) {                                                         \
    for (int i = 0; i < shape<V>::count; ++i)                                                      \
      op a[i];                                                                                     \
    return a;                                                                                      \
  }                                                                                                \
  template <class A, class V = arithmetic_1<A>, class = if_left<A, A>>                             \
  SCYTHE_BY_ELEMENT V operator op(A &a, int) {                                                     \
    const V old = a;                                                                               \
    op a;                                                                                          \
    return old;                                                                                    \
  }                                                                                                \
  template <class T, int N, int... I, class V = arithmetic_1<writable<T, N, I...>>>                \
  SCYTHE_BY_ELEMENT const writable<T, N, I...> &operator op(const writable<T, N, I...> &a) {       \
    for (int i = 0; i < shape<V>::count; ++i)                                                      \
      op a[i];                                                                                     \
    return a;                                                                                      \
  }                                                                                                \
  template <class T, int N, int... I, class V = arithmetic_1<writable<T, N, I...>>>                \
  SCYTHE_BY_ELEMENT V operator op(const writable<T, N, I...> &a, int) {                            \
    const V old = a;                                                                               \
    op a;                                                                                          \
    return old;                                                                                    \
  }
SCYTHE_STEP(++)
SCYTHE_STEP(--)
#undef SCYTHE_STEP

} // namespace sycl::detail::elementwise

#endif
