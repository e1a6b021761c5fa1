// One to three `size_t` with the element-wise operators that `range` and `id` share.
//
// Operators with integers are templates: an `id<1>` converts to `size_t`, and a plain `size_t` parameter would make
// `id + 1` ambiguous with the built-in operator.
#ifndef SCYTHE_DETAIL_COORDINATES_HPP
#define SCYTHE_DETAIL_COORDINATES_HPP

#include <sycl/detail/config.hpp>

#include <cstddef>
#include <type_traits>

namespace sycl::detail {

template <class Derived, int D> class coordinates {
  static_assert(D >= 1 && D <= 3, "ranges and ids have 1, 2 or 3 dimensions");

public:
  static constexpr int dimensions = D;

  constexpr std::size_t get(int dimension) const { return values_[dimension]; }
  constexpr std::size_t &operator[](int dimension) { return values_[dimension]; }
  constexpr std::size_t operator[](int dimension) const { return values_[dimension]; }

  friend constexpr bool operator==(const Derived &a, const Derived &b) {
    for (int i = 0; i < D; ++i)
      if (a[i] != b[i])
        return false;
    return true;
  }
  friend constexpr bool operator!=(const Derived &a, const Derived &b) { return !(a == b); }
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
  friend constexpr bool operator==(const Derived &a, I b) {
    for (int i = 0; i < D; ++i)
      if (a[i] != static_cast<std::size_t>(b))
        return false;
    return true;
  }
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
  friend constexpr bool operator==(I a, const Derived &b) {
    return b == a;
  }
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
  friend constexpr bool operator!=(const Derived &a, I b) {
    return !(a == b);
  }
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
  friend constexpr bool operator!=(I a, const Derived &b) {
    return !(b == a);
  }

#define SCYTHE_ELEMENTWISE(op)                                                                                         \
  friend constexpr Derived operator op(const Derived &a, const Derived &b) {                                           \
    Derived r(a);                                                                                                      \
    for (int i = 0; i < D; ++i)                                                                                        \
      r[i] = a[i] op b[i];                                                                                             \
    return r;                                                                                                          \
  }                                                                                                                    \
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>                                                  \
  friend constexpr Derived operator op(const Derived &a, I b) {                                                        \
    Derived r(a);                                                                                                      \
    for (int i = 0; i < D; ++i)                                                                                        \
      r[i] = a[i] op static_cast<std::size_t>(b);                                                                      \
    return r;                                                                                                          \
  }                                                                                                                    \
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>                                                  \
  friend constexpr Derived operator op(I a, const Derived &b) {                                                        \
    Derived r(b);                                                                                                      \
    for (int i = 0; i < D; ++i)                                                                                        \
      r[i] = static_cast<std::size_t>(a) op b[i];                                                                      \
    return r;                                                                                                          \
  }
#define SCYTHE_ELEMENTWISE_ASSIGN(op)                                                                                  \
  SCYTHE_ELEMENTWISE(op)                                                                                               \
  friend constexpr Derived &operator op## = (Derived & a, const Derived &b) { return a = a op b; }                     \
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>                                                  \
  friend constexpr Derived &operator op## = (Derived & a, I b) {                                                       \
    return a = a op b;                                                                                                 \
  }

  SCYTHE_ELEMENTWISE_ASSIGN(+)
  SCYTHE_ELEMENTWISE_ASSIGN(-)
  SCYTHE_ELEMENTWISE_ASSIGN(*)
  SCYTHE_ELEMENTWISE_ASSIGN(/)
  SCYTHE_ELEMENTWISE_ASSIGN(%)
  SCYTHE_ELEMENTWISE_ASSIGN(<<)
  SCYTHE_ELEMENTWISE_ASSIGN(>>)
  SCYTHE_ELEMENTWISE_ASSIGN(&)
  SCYTHE_ELEMENTWISE_ASSIGN(|)
  SCYTHE_ELEMENTWISE_ASSIGN(^)
  SCYTHE_ELEMENTWISE(<)
  SCYTHE_ELEMENTWISE(>)
  SCYTHE_ELEMENTWISE(<=)
  SCYTHE_ELEMENTWISE(>=)
  SCYTHE_ELEMENTWISE(&&)
  SCYTHE_ELEMENTWISE(||)
#undef SCYTHE_ELEMENTWISE_ASSIGN
#undef SCYTHE_ELEMENTWISE

  friend constexpr Derived operator+(const Derived &a) { return a; }
  friend constexpr Derived operator-(const Derived &a) { return std::size_t(0) - a; }
  friend constexpr Derived &operator++(Derived &a) { return a += 1; }
  friend constexpr Derived &operator--(Derived &a) { return a -= 1; }
  friend constexpr Derived operator++(Derived &a, int) {
    Derived old(a);
    a += 1;
    return old;
  }
  friend constexpr Derived operator--(Derived &a, int) {
    Derived old(a);
    a -= 1;
    return old;
  }

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

} // namespace sycl::detail

#endif
