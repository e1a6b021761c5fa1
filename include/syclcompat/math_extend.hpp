// Arithmetic of 32-bit integers with one more bit: the operands are extended, and the result is cut
// or, in functions with `_sat`, clamped to the result type.
#ifndef SYCLCOMPAT_MATH_EXTEND_HPP
#define SYCLCOMPAT_MATH_EXTEND_HPP

#include <cstdint>
#include <limits>
#include <type_traits>

namespace syclcompat {
namespace detail {

template <class T> constexpr std::int64_t extended(T x) {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 4,
                "the operands must be integers of at most 32 bits");
  return x;
}
template <bool Saturate, class R> constexpr R narrowed(std::int64_t x) {
  static_assert(std::is_integral_v<R> && sizeof(R) <= 4,
                "the result must be an integer of at most 32 bits");
  if constexpr (Saturate) {
    constexpr std::int64_t least = std::numeric_limits<R>::min();
    constexpr std::int64_t most = std::numeric_limits<R>::max();
    x = x < least ? least : x > most ? most : x;
  }
  return static_cast<R>(x);
}

struct extend_add_op {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct extend_sub_op {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a - b; }
};
struct extend_absdiff_op {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return a < b ? b - a : a - b;
  }
};
struct extend_min_op {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a < b ? a : b; }
};
struct extend_max_op {
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a < b ? b : a; }
};

} // namespace detail

// With a third operand, the second operation follows on the result of the first.
#define SYCLCOMPAT_EXTEND(name, operation, saturates)                                              \
  template <class R, class A, class B> constexpr R name(A a, B b) {                                \
    return detail::narrowed<saturates, R>(                                                         \
        detail::operation()(detail::extended(a), detail::extended(b)));                            \
  }                                                                                                \
  template <class R, class A, class B, class C, class F>                                           \
  constexpr R name(A a, B b, C c, F second) {                                                      \
    const R first = name<R>(a, b);                                                                 \
    return static_cast<R>(second(static_cast<std::int64_t>(first), detail::extended(c)));          \
  }
SYCLCOMPAT_EXTEND(extend_add, extend_add_op, false)
SYCLCOMPAT_EXTEND(extend_add_sat, extend_add_op, true)
SYCLCOMPAT_EXTEND(extend_sub, extend_sub_op, false)
SYCLCOMPAT_EXTEND(extend_sub_sat, extend_sub_op, true)
SYCLCOMPAT_EXTEND(extend_absdiff, extend_absdiff_op, false)
SYCLCOMPAT_EXTEND(extend_absdiff_sat, extend_absdiff_op, true)
SYCLCOMPAT_EXTEND(extend_min, extend_min_op, false)
SYCLCOMPAT_EXTEND(extend_min_sat, extend_min_op, true)
SYCLCOMPAT_EXTEND(extend_max, extend_max_op, false)
SYCLCOMPAT_EXTEND(extend_max_sat, extend_max_op, true)
#undef SYCLCOMPAT_EXTEND

} // namespace syclcompat

#endif
