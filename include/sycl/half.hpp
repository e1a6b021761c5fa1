// `sycl::half`: 16-bit floating point (IEEE 754 binary16) with the same bits on host and device.
//
// Operations between halves round to half. An operation with float or double has their type, and an
// operation with an integer has type half. Assignments such as `h += 0.1` compute in float if the
// other side is a double. Comparisons with a double are exact without computing in double. A
// constant of type double therefore does not require a device with double precision.
#ifndef SCYTHE_HALF_HPP
#define SCYTHE_HALF_HPP

#include <sycl/aspect.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/half_storage.hpp>

#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>

namespace sycl {

class half;

namespace detail {

// The result type of an operation between half and `T`.
template <class T>
struct with_half : std::enable_if<std::is_arithmetic_v<T>,
                                  std::conditional_t<std::is_floating_point_v<T>, T, half>> {};
template <class T> struct against_half : std::conditional<std::is_floating_point_v<T>, T, float> {};
template <class T> struct arithmetic_type : std::enable_if<std::is_arithmetic_v<T>> {};
// The type that `T` converts to in arithmetic with a half.
template <class T> using added_to_half = std::conditional_t<std::is_same_v<T, double>, float, T>;
template <class T> using half_with = typename with_half<T>::type;
template <class T> using half_against = typename against_half<T>::type;
template <class T> using if_arithmetic = typename arithmetic_type<T>::type;

} // namespace detail

class SCYTHE_USES_ASPECTS(aspect::fp16) half {
public:
  half() = default;
  constexpr half(detail::float16 x) : value_(x) {}
  template <class T, class = detail::if_arithmetic<T>>
  constexpr half(T x) : value_(static_cast<detail::float16>(x)) {}

  constexpr operator float() const { return static_cast<float>(value_); }

#define SCYTHE_HALF_ARITHMETIC(op)                                                                 \
  friend constexpr half operator op(half a, half b) {                                              \
    return static_cast<detail::float16>(a.value_ op b.value_);                                     \
  }                                                                                                \
  template <class T, class R = detail::half_with<T>> friend constexpr R operator op(half a, T b) { \
    return static_cast<R>(a) op static_cast<R>(b);                                                 \
  }                                                                                                \
  template <class T, class R = detail::half_with<T>> friend constexpr R operator op(T a, half b) { \
    return static_cast<R>(a) op static_cast<R>(b);                                                 \
  }                                                                                                \
  friend constexpr half &operator op## = (half & a, half b) {                                      \
    a.value_ = static_cast<detail::float16>(a.value_ op b.value_);                                 \
    return a;                                                                                      \
  }                                                                                                \
  template <class T, class = detail::if_arithmetic<T>>                                             \
  friend constexpr half &operator op## = (half & a, T b) {                                         \
    return a = static_cast<half>(a op static_cast<detail::added_to_half<T>>(b));                   \
  }
  SCYTHE_HALF_ARITHMETIC(+)
  SCYTHE_HALF_ARITHMETIC(-)
  SCYTHE_HALF_ARITHMETIC(*)
  SCYTHE_HALF_ARITHMETIC(/)
#undef SCYTHE_HALF_ARITHMETIC

#define SCYTHE_HALF_COMPARISON(op)                                                                 \
  friend constexpr bool operator op(half a, half b) { return a.value_ op b.value_; }               \
  template <class T, class = detail::if_arithmetic<T>>                                             \
  friend constexpr bool operator op(half a, T b) {                                                 \
    return static_cast<detail::half_against<T>>(a) op static_cast<detail::half_against<T>>(b);     \
  }                                                                                                \
  template <class T, class = detail::if_arithmetic<T>>                                             \
  friend constexpr bool operator op(T a, half b) {                                                 \
    return static_cast<detail::half_against<T>>(a) op static_cast<detail::half_against<T>>(b);     \
  }
  SCYTHE_HALF_COMPARISON(==)
  SCYTHE_HALF_COMPARISON(!=)
  SCYTHE_HALF_COMPARISON(<)
  SCYTHE_HALF_COMPARISON(>)
  SCYTHE_HALF_COMPARISON(<=)
  SCYTHE_HALF_COMPARISON(>=)
#undef SCYTHE_HALF_COMPARISON

// Comparison with a double. Every half is a float, so the nearest float `near` replaces the double.
// If `near op b` holds, a half that equals `near` satisfies the comparison. Otherwise it does not.
#define SCYTHE_HALF_AND_DOUBLE(op, or_equal, strict, reversed)                                     \
  friend constexpr bool operator op(half a, double b) {                                            \
    const float x = a, near = static_cast<float>(b);                                               \
    return static_cast<double>(near) op b ? x or_equal near : x strict near;                       \
  }                                                                                                \
  friend constexpr bool operator op(double a, half b) { return b reversed a; }
  SCYTHE_HALF_AND_DOUBLE(<, <=, <, >)
  SCYTHE_HALF_AND_DOUBLE(<=, <=, <, >=)
  SCYTHE_HALF_AND_DOUBLE(>, >=, >, <)
  SCYTHE_HALF_AND_DOUBLE(>=, >=, >, <=)
#undef SCYTHE_HALF_AND_DOUBLE
  friend constexpr bool operator==(half a, double b) {
    const float near = static_cast<float>(b);
    return static_cast<double>(near) == b && static_cast<float>(a) == near;
  }
  friend constexpr bool operator==(double a, half b) { return b == a; }
  friend constexpr bool operator!=(half a, double b) { return !(a == b); }
  friend constexpr bool operator!=(double a, half b) { return !(b == a); }

  friend constexpr half operator+(half a) { return a; }
  friend constexpr half operator-(half a) { return static_cast<detail::float16>(-a.value_); }
  friend constexpr half &operator++(half &a) {
    a.value_ = static_cast<detail::float16>(a.value_ + 1);
    return a;
  }
  friend constexpr half &operator--(half &a) {
    a.value_ = static_cast<detail::float16>(a.value_ - 1);
    return a;
  }
  friend constexpr half operator++(half &a, int) {
    const half old = a;
    a.value_ = static_cast<detail::float16>(a.value_ + 1);
    return old;
  }
  friend constexpr half operator--(half &a, int) {
    const half old = a;
    a.value_ = static_cast<detail::float16>(a.value_ - 1);
    return old;
  }

  // Returns the number as the compiler's type, which functions of the device library take.
  friend constexpr detail::float16 scythe_plain(half a) { return a.value_; }

private:
  detail::float16 value_;
};

} // namespace sycl

namespace sycl::detail {

// `std::numeric_limits` of a 16-bit type in IEEE 754 format, except decimal digits. The parameters
// are the bits of the significand including the implicit one, the exponents as the standard counts
// them, and the bits of a signaling NaN.
template <class T, int Digits, int MinExponent, int MaxExponent, unsigned short Signaling>
struct binary_limits {
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false,
                        is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false, is_iec559 = true, is_bounded = true,
                        is_modulo = false;
  static constexpr bool traps = false, tinyness_before = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr int digits = Digits, radix = 2, min_exponent = MinExponent,
                       max_exponent = MaxExponent;

  static constexpr T min() noexcept { return power(MinExponent - 1); }
  static constexpr T max() noexcept { return (2 - power(1 - Digits)) * power(MaxExponent - 1); }
  static constexpr T lowest() noexcept { return -max(); }
  static constexpr T epsilon() noexcept { return power(1 - Digits); }
  static constexpr T round_error() noexcept { return 0.5f; }
  static constexpr T infinity() noexcept { return __builtin_huge_valf(); }
  static constexpr T quiet_NaN() noexcept { return __builtin_nanf(""); }
  // Built from its bits, because a conversion would make it quiet.
  static constexpr T signaling_NaN() noexcept { return __builtin_bit_cast(T, Signaling); }
  static constexpr T denorm_min() noexcept { return power(MinExponent - Digits); }

private:
  // Returns 2 to the power `e` from the bits of float. Its subnormal powers of two have a single
  // bit.
  static constexpr float power(int e) {
    return __builtin_bit_cast(float,
                              e > -127 ? static_cast<unsigned>(e + 127) << 23 : 1u << (e + 149));
  }
};

} // namespace sycl::detail

namespace std {

template <>
struct numeric_limits<sycl::half> : sycl::detail::binary_limits<sycl::half, 11, -13, 16, 0x7d00> {
  static constexpr int digits10 = 3, max_digits10 = 5, min_exponent10 = -4, max_exponent10 = 4;
};

// Halves that compare equal have the same hash, as for float. `<string_view>` declares the
// template.
template <> struct hash<sycl::half> {
  size_t operator()(sycl::half x) const noexcept { return hash<float>()(static_cast<float>(x)); }
};

} // namespace std

#endif
