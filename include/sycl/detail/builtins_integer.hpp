// Integer functions in plain C++ without branches, which every back end turns into its
// instructions.
//
// Signed overflow is undefined, so sums that could overflow use unsigned arithmetic.
#ifndef SCYTHE_DETAIL_BUILTINS_INTEGER_HPP
#define SCYTHE_DETAIL_BUILTINS_INTEGER_HPP

#include <sycl/detail/builtins_types.hpp>

namespace sycl {

namespace detail::element {

template <class T> using unsigned_of = std::make_unsigned_t<T>;
template <class T> constexpr int width_of = static_cast<int>(sizeof(T) * 8);

// Returns the high half of the product of two 64-bit numbers, computed from products of their
// halves.
constexpr unsigned long long high_product(unsigned long long x, unsigned long long y) {
  const unsigned long long x0 = x & 0xffffffffu, x1 = x >> 32, y0 = y & 0xffffffffu, y1 = y >> 32;
  const unsigned long long middle = x1 * y0 + (x0 * y0 >> 32),
                           other = x0 * y1 + (middle & 0xffffffffu);
  return x1 * y1 + (middle >> 32) + (other >> 32);
}

template <class T> constexpr T magnitude(T x) {
  using U = unsigned_of<T>;
  return static_cast<T>(x < T(0) ? static_cast<U>(U(0) - static_cast<U>(x)) : static_cast<U>(x));
}
template <class T> constexpr T abs(T x) {
  if constexpr (!std::is_integral_v<T>)
    return static_cast<T>(x < T(0) ? -x : x == T(0) ? T(0) : x);
  else
    return magnitude(x);
}

template <class T> constexpr T abs_diff(T x, T y) {
  using U = unsigned_of<T>;
  const U a = static_cast<U>(x), b = static_cast<U>(y);
  return static_cast<T>(x < y ? static_cast<U>(b - a) : static_cast<U>(a - b));
}

template <class T> constexpr T add_sat(T x, T y) {
  using U = unsigned_of<T>;
  const T sum = static_cast<T>(static_cast<U>(static_cast<U>(x) + static_cast<U>(y)));
  if constexpr (std::is_signed_v<T>) {
    // The sum overflowed if both operands differ from it in sign.
    const bool over = ((x ^ sum) & (y ^ sum)) < 0;
    return over ? (x < 0 ? smallest<T>() : largest<T>()) : sum;
  } else {
    return sum < x ? largest<T>() : sum;
  }
}

template <class T> constexpr T sub_sat(T x, T y) {
  using U = unsigned_of<T>;
  const T difference = static_cast<T>(static_cast<U>(static_cast<U>(x) - static_cast<U>(y)));
  if constexpr (std::is_signed_v<T>) {
    const bool over = ((x ^ y) & (x ^ difference)) < 0;
    return over ? (x < 0 ? smallest<T>() : largest<T>()) : difference;
  } else {
    return x < y ? T(0) : difference;
  }
}

// Returns half of the sum, rounded down, without overflow.
template <class T> constexpr T hadd(T x, T y) { return static_cast<T>((x & y) + ((x ^ y) >> 1)); }
// Returns half of the sum, rounded up, without overflow.
template <class T> constexpr T rhadd(T x, T y) { return static_cast<T>((x | y) - ((x ^ y) >> 1)); }

template <class T> constexpr T mul_hi(T x, T y) {
  if constexpr (sizeof(T) < 8) {
    using W = wider<T>;
    return static_cast<T>((static_cast<W>(x) * static_cast<W>(y)) >> width_of<T>);
  } else {
    using U = unsigned long long;
    U high = high_product(static_cast<U>(x), static_cast<U>(y));
    if constexpr (std::is_signed_v<T>)
      high -= (x < 0 ? static_cast<U>(y) : U(0)) + (y < 0 ? static_cast<U>(x) : U(0));
    return static_cast<T>(high);
  }
}

template <class T> constexpr T mad_hi(T x, T y, T z) {
  using U = unsigned_of<T>;
  return static_cast<T>(static_cast<U>(static_cast<U>(element::mul_hi(x, y)) + static_cast<U>(z)));
}

template <class T> constexpr T mad_sat(T x, T y, T z) {
  using U = unsigned_of<T>;
  if constexpr (sizeof(T) < 8) {
    // The exact result fits: a signed product has one bit less than twice the bits, which leaves
    // room for the sum.
    using W = wider<T>;
    const W exact = static_cast<W>(static_cast<W>(x) * static_cast<W>(y) + static_cast<W>(z));
    const W low = static_cast<W>(smallest<T>()), high = static_cast<W>(largest<T>());
    return static_cast<T>(exact < low ? low : exact > high ? high : exact);
  } else {
    const T high = element::mul_hi(x, y);
    const T low = static_cast<T>(static_cast<U>(x) * static_cast<U>(y));
    const T sum = static_cast<T>(static_cast<U>(low) + static_cast<U>(z));
    const U carry = static_cast<U>(sum) < static_cast<U>(low) ? 1 : 0;
    if constexpr (std::is_signed_v<T>) {
      // The high half of the 128-bit result. The result fits if the high half is the sign extension
      // of the low half.
      const T top = static_cast<T>(static_cast<U>(high) + carry + (z < 0 ? ~U(0) : U(0)));
      return top == (sum < 0 ? T(-1) : T(0)) ? sum : top < 0 ? smallest<T>() : largest<T>();
    } else {
      return high != 0 || carry != 0 ? largest<T>() : sum;
    }
  }
}

// Returns the number of zero bits above the highest set bit, or the width of the type for 0.
template <class T> constexpr T clz(T x) {
  const unsigned long long bits = static_cast<unsigned_of<T>>(x);
  if constexpr (sizeof(T) < 8)
    return static_cast<T>(x == 0 ? width_of<T>
                                 : __builtin_clz(static_cast<unsigned>(bits)) - (32 - width_of<T>));
  else
    return static_cast<T>(x == 0 ? 64 : __builtin_clzll(bits));
}
// Returns the number of zero bits below the lowest set bit, or the width of the type for 0.
template <class T> constexpr T ctz(T x) {
  const unsigned long long bits = static_cast<unsigned_of<T>>(x);
  return static_cast<T>(x == 0 ? width_of<T> : __builtin_ctzll(bits));
}
template <class T> constexpr T popcount(T x) {
  return static_cast<T>(__builtin_popcountll(static_cast<unsigned_of<T>>(x)));
}

// Rotates the bits to the left. `count` is taken modulo the width.
template <class T> constexpr T rotate(T x, T count) {
  using U = unsigned_of<T>;
  constexpr int mask = width_of<T> - 1;
  const int left = static_cast<int>(count) & mask, right = (width_of<T> - left) & mask;
  const U bits = static_cast<U>(x);
  return static_cast<T>(
      static_cast<U>(static_cast<U>(bits << left) | static_cast<U>(bits >> right)));
}

// Concatenates `high` and `low` to a number of twice the size.
template <class T, class W = wider<T>> constexpr W upsample(T high, unsigned_of<T> low) {
  using V = std::make_unsigned_t<W>;
  return static_cast<W>(static_cast<V>((static_cast<V>(high) << width_of<T>) | low));
}

// Products of 24-bit numbers. Results for larger numbers are undefined.
template <class T> constexpr T mul24(T x, T y) {
  return static_cast<T>(static_cast<unsigned>(x) * static_cast<unsigned>(y));
}
template <class T> constexpr T mad24(T x, T y, T z) {
  return static_cast<T>(static_cast<unsigned>(x) * static_cast<unsigned>(y) +
                        static_cast<unsigned>(z));
}

} // namespace detail::element

#define SCYTHE_INTEGER_1(name)                                                                     \
  template <class T, class R = detail::integers<T>>                                                \
  SCYTHE_BY_ELEMENT constexpr R name(const T &x) {                                                 \
    SCYTHE_EACH(detail::element::name(SCYTHE_AT(x)));                                              \
  }
#define SCYTHE_INTEGER_2(name, kind)                                                               \
  template <class A, class B, class R = detail::kind<A, B>>                                        \
  SCYTHE_BY_ELEMENT constexpr R name(const A &x, const B &y) {                                     \
    SCYTHE_EACH(detail::element::name(SCYTHE_AT(x), SCYTHE_AT(y)));                                \
  }
#define SCYTHE_INTEGER_3(name, kind)                                                               \
  template <class A, class B, class C, class R = detail::kind<A, B, C>>                            \
  SCYTHE_BY_ELEMENT constexpr R name(const A &x, const B &y, const C &z) {                         \
    SCYTHE_EACH(detail::element::name(SCYTHE_AT(x), SCYTHE_AT(y), SCYTHE_AT(z)));                  \
  }
SCYTHE_INTEGER_1(clz)
SCYTHE_INTEGER_1(ctz)
SCYTHE_INTEGER_1(popcount)
SCYTHE_INTEGER_2(abs_diff, integers)
SCYTHE_INTEGER_2(add_sat, integers)
SCYTHE_INTEGER_2(hadd, integers)
SCYTHE_INTEGER_2(mul24, integers_of_32_bits)
SCYTHE_INTEGER_2(mul_hi, integers)
SCYTHE_INTEGER_2(rhadd, integers)
SCYTHE_INTEGER_2(rotate, integers)
SCYTHE_INTEGER_2(sub_sat, integers)
SCYTHE_INTEGER_3(mad24, integers_of_32_bits)
SCYTHE_INTEGER_3(mad_hi, integers)
SCYTHE_INTEGER_3(mad_sat, integers)
#undef SCYTHE_INTEGER_1
#undef SCYTHE_INTEGER_2
#undef SCYTHE_INTEGER_3

// Also accepts floating-point numbers, for which `fabs` is the usual name.
template <class T, class R = detail::numbers<T>> SCYTHE_BY_ELEMENT constexpr R abs(const T &x) {
  SCYTHE_EACH(detail::element::abs(SCYTHE_AT(x)));
}

template <class A, class B, class H = detail::integers<A>, class L = detail::integers<B>,
          class T = typename detail::shape<H>::element,
          class R = typename detail::shape<H>::template rebind<detail::wider<T>>,
          class = std::enable_if_t<std::is_same_v<
              L, typename detail::shape<H>::template rebind<std::make_unsigned_t<T>>>>>
SCYTHE_BY_ELEMENT constexpr R upsample(const A &high, const B &low) {
  SCYTHE_EACH(detail::element::upsample(detail::at<T>(high, i),
                                        detail::at<std::make_unsigned_t<T>>(low, i)));
}

} // namespace sycl

#endif
