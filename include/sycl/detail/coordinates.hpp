// One to three `size_t` with the element-wise operators that `range` and `id` share.
//
// The operators are templates over both operands and are found through a base class. The
// specification declares them as friends, which would declare all of them again for each of the six
// classes. Integers are separate operands: an `id<1>` converts to `size_t`, and a plain `size_t`
// parameter would make `id + 1` ambiguous with the built-in operator.
#ifndef SCYTHE_DETAIL_COORDINATES_HPP
#define SCYTHE_DETAIL_COORDINATES_HPP

#include <sycl/detail/config.hpp>

#include <cstddef>
#include <type_traits>

namespace sycl::detail {

namespace coordinatewise {
struct operand {};
} // namespace coordinatewise

template <class Derived, int D> class coordinates : public coordinatewise::operand {
  static_assert(D >= 1 && D <= 3, "a range or id must have 1, 2 or 3 dimensions");

public:
  static constexpr int dimensions = D;

  constexpr std::size_t get(int dimension) const { return values_[dimension]; }
  constexpr std::size_t &operator[](int dimension) { return values_[dimension]; }
  constexpr std::size_t operator[](int dimension) const { return values_[dimension]; }

protected:
  constexpr coordinates() = default;
  constexpr coordinates(std::size_t a, std::size_t b, std::size_t c) {
    values_[0] = a;
    if constexpr (D > 1)
      values_[1] = b;
    if constexpr (D > 2)
      values_[2] = c;
  }

private:
  std::size_t values_[D] = {};
};

namespace coordinatewise {

// The range or id of an operand, or void for other types.
template <class Derived, int D> Derived own(const coordinates<Derived, D> *);
template <class A, class = void> struct whole {
  using type = void;
};
template <class A> struct whole<A, std::void_t<decltype(own(static_cast<const A *>(nullptr)))>> {
  using type = decltype(own(static_cast<const A *>(nullptr)));
};

// Whether an operand can be combined with a `V`. Floating-point numbers cannot, although they
// convert: `id * 0.5f` is a product of numbers.
template <class V, class A>
inline constexpr bool joins = std::is_same_v<V, A> || std::is_integral_v<A> ||
                              (!std::is_floating_point_v<A> && std::is_convertible_v<const A &, V>);
template <class A> inline constexpr bool joins<void, A> = false;

// The result type of an operation on `A` and `B`.
template <class A, class B, class V = typename whole<A>::type, bool = joins<V, B>> struct result {
  using type = V;
};
template <class A, class B, class V>
struct result<A, B, V, false>
    : std::enable_if<joins<typename whole<B>::type, A>, typename whole<B>::type> {};
template <class A, class B> struct result_of : result<A, B> {};
template <class A, class B> using result_t = typename result_of<A, B>::type;
// The result type of assignments, whose left side is a range or id.
template <class A, class B>
struct assigned : std::enable_if<joins<typename whole<A>::type, B>, typename whole<A>::type> {};
template <class A, class B> using left = typename assigned<A, B>::type;

// Returns an operand as one number for all elements, or as a `V`.
template <class V, class A> constexpr decltype(auto) as_operand(const A &a) {
  if constexpr (std::is_integral_v<A>)
    return static_cast<std::size_t>(a);
  else if constexpr (std::is_base_of_v<V, A>)
    return static_cast<const V &>(a);
  else
    return static_cast<V>(a);
}
constexpr std::size_t at(std::size_t a, int) { return a; }
template <class Derived, int D> constexpr std::size_t at(const coordinates<Derived, D> &a, int i) {
  return a.get(i);
}

template <class A, class B, class V = result_t<A, B>>
constexpr bool operator==(const A &a, const B &b) {
  const auto &x = as_operand<V>(a);
  const auto &y = as_operand<V>(b);
  for (int i = 0; i < V::dimensions; ++i)
    if (at(x, i) != at(y, i))
      return false;
  return true;
}
template <class A, class B, class V = result_t<A, B>>
constexpr bool operator!=(const A &a, const B &b) {
  return !(a == b);
}

#define SCYTHE_COORDINATEWISE(op)                                                                  \
  template <class A, class B, class V = result_t<A, B>>                                            \
  constexpr V operator op(const A &a, const B &b) {                                                \
    const auto &x = as_operand<V>(a);                                                              \
    const auto &y = as_operand<V>(b);                                                              \
    V r;                                                                                           \
    for (int i = 0; i < V::dimensions; ++i)                                                        \
      r[i] = at(x, i) op at(y, i);                                                                 \
    return r;                                                                                      \
  }
#define SCYTHE_COORDINATEWISE_ASSIGN(op)                                                           \
  SCYTHE_COORDINATEWISE(op)                                                                        \
  template <class A, class B, class V = left<A, B>>                                                \
  constexpr A &operator op## = (A & a, const B &b) {                                               \
    static_cast<V &>(a) = static_cast<const V &>(a) op b;                                          \
    return a;                                                                                      \
  }
SCYTHE_COORDINATEWISE_ASSIGN(+)
SCYTHE_COORDINATEWISE_ASSIGN(-)
SCYTHE_COORDINATEWISE_ASSIGN(*)
SCYTHE_COORDINATEWISE_ASSIGN(/)
SCYTHE_COORDINATEWISE_ASSIGN(%)
SCYTHE_COORDINATEWISE_ASSIGN(<<)
SCYTHE_COORDINATEWISE_ASSIGN(>>)
SCYTHE_COORDINATEWISE_ASSIGN(&)
SCYTHE_COORDINATEWISE_ASSIGN(|)
SCYTHE_COORDINATEWISE_ASSIGN(^)
SCYTHE_COORDINATEWISE(<)
SCYTHE_COORDINATEWISE(>)
SCYTHE_COORDINATEWISE(<=)
SCYTHE_COORDINATEWISE(>=)
SCYTHE_COORDINATEWISE(&&)
SCYTHE_COORDINATEWISE(||)
#undef SCYTHE_COORDINATEWISE_ASSIGN
#undef SCYTHE_COORDINATEWISE

template <class A, class V = left<A, int>> constexpr V operator+(const A &a) { return a; }
template <class A, class V = left<A, int>> constexpr V operator-(const A &a) { return 0 - a; }
template <class A, class V = left<A, int>> constexpr A &operator++(A &a) { return a += 1; }
template <class A, class V = left<A, int>> constexpr A &operator--(A &a) { return a -= 1; }
template <class A, class V = left<A, int>> constexpr V operator++(A &a, int) {
  const V old(a);
  a += 1;
  return old;
}
template <class A, class V = left<A, int>> constexpr V operator--(A &a, int) {
  const V old(a);
  a -= 1;
  return old;
}

} // namespace coordinatewise
} // namespace sycl::detail

#endif
