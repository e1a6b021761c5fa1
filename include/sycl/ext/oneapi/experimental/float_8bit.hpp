// Floating-point numbers of 8 bits, alone or in pairs: E4M3, E5M2 and E8M0 (`sycl_ext_oneapi_fp8`).
//
// Conversions use integer operations on the bits of a float, which holds every half, bfloat16 and
// 8-bit number exactly. All devices and the host support every rounding mode, saturation mode and
// stochastic rounding.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FLOAT_8BIT_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FLOAT_8BIT_HPP

#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/half.hpp>
#include <sycl/marray.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sycl {
namespace ext::oneapi::experimental {

enum class rounding { to_even, upward, toward_zero };
enum class saturation { none, finite };
// A seed of stochastic rounding, which each conversion replaces.
struct stochastic_seed {
  explicit stochastic_seed(std::uint32_t *p) : pseed(p) {}
  std::uint32_t *const pseed;
};

} // namespace ext::oneapi::experimental

namespace detail::fp8 {
using ext::oneapi::bfloat16;
using ext::oneapi::experimental::rounding;
using ext::oneapi::experimental::saturation;

// What is added to a number of units because of the part that is cut, which has `cut` bits.
inline std::uint32_t carry(rounding r, bool negative, std::uint32_t units, std::uint32_t rest,
                           unsigned cut) {
  if (r == rounding::upward)
    return rest != 0 && !negative;
  if (r == rounding::toward_zero)
    return 0;
  const std::uint32_t half = 1u << (cut - 1);
  return rest > half || (rest == half && (units & 1));
}

// A format with a sign, like those of IEEE 754. `Most` is the largest finite number, and `Above` is
// infinity, or NaN if the format has no infinity.
template <int Mantissa, int Bias, std::uint8_t Most, std::uint8_t Above> struct signed_format {
  static constexpr rounding usual = rounding::to_even;
  static constexpr bool has_infinity = Above != 0x7f;

  // Adds a random part of the last unit to the magnitude if `random` is not null.
  static std::uint8_t encode(float x, rounding r, saturation s,
                             const std::uint32_t *random = nullptr) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const bool negative = bits >> 31;
    const auto with_sign = [=](std::uint32_t code) {
      return static_cast<std::uint8_t>((negative ? 0x80u : 0u) | code);
    };
    if (magnitude > 0x7f800000u)
      return with_sign(0x7f);
    const std::uint32_t too_large = s == saturation::finite ? Most : Above;
    if (magnitude == 0x7f800000u)
      return with_sign(too_large);
    if (magnitude < 0x00800000u && magnitude != 0 && r != rounding::upward)
      return with_sign(0);
    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    std::uint32_t fraction =
        magnitude < 0x00800000u ? (magnitude ? 1u : 0u) : (magnitude & 0x7fffffu) | 0x800000u;
    // Numbers below the smallest normal one have its exponent.
    const int stored = exponent > -Bias ? exponent + Bias : 1;
    const int shift = stored - Bias - exponent + 23 - Mantissa;
    const unsigned cut = shift < 31 ? static_cast<unsigned>(shift) : 31u;
    if (random)
      fraction += *random >> (32 - cut);
    const std::uint32_t units = fraction >> cut, rest = fraction & ((1u << cut) - 1);
    const std::uint32_t code = (static_cast<std::uint32_t>(stored - 1) << Mantissa) + units +
                               carry(r, negative, units, rest, cut);
    return with_sign(code > Most ? too_large : code);
  }
  static float decode(std::uint8_t code) {
    const std::uint32_t magnitude = code & 0x7fu, sign = static_cast<std::uint32_t>(code & 0x80)
                                                         << 24;
    if (magnitude > Most)
      return __builtin_bit_cast(
          float, sign | (has_infinity && magnitude == Above ? 0x7f800000u : 0x7fc00000u));
    std::uint32_t exponent = magnitude >> Mantissa;
    std::uint32_t fraction = magnitude & ((1u << Mantissa) - 1);
    if (exponent == 0) {
      if (fraction == 0)
        return __builtin_bit_cast(float, sign);
      // A float has smaller exponents.
      exponent = 1;
      int normalised = 0;
      while (!(fraction >> Mantissa)) {
        fraction <<= 1;
        ++normalised;
      }
      fraction &= (1u << Mantissa) - 1;
      return __builtin_bit_cast(
          float, sign | static_cast<std::uint32_t>(1 - normalised - Bias + 127) << 23 |
                     fraction << (23 - Mantissa));
    }
    return __builtin_bit_cast(float, sign |
                                         (exponent + static_cast<std::uint32_t>(127 - Bias)) << 23 |
                                         fraction << (23 - Mantissa));
  }
  // Integers beyond 2^20 are too large for the format. Those below are exact as floats.
  template <class I> static std::uint8_t of_integer(I x) {
    constexpr I bound = sizeof(I) > 2 ? static_cast<I>(1 << 20) : std::numeric_limits<I>::max();
    I near = x > bound ? bound : x;
    if constexpr (std::is_signed_v<I>)
      near = near < -bound ? static_cast<I>(-bound) : near;
    return encode(static_cast<float>(near), usual, saturation::finite);
  }
  static bool is_true(std::uint8_t code) { return (code & 0x7f) != 0; }
};
using e4m3 = signed_format<3, 7, 0x7e, 0x7f>;
using e5m2 = signed_format<2, 15, 0x7b, 0x7c>;

// Powers of two from 2^-127, and NaN. The exponent is that of a float.
struct e8m0 {
  static constexpr rounding usual = rounding::upward;
  static std::uint8_t encode(float x, rounding r, saturation, const std::uint32_t * = nullptr) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
      return 0xff;
    // Negative numbers have no representation.
    if (bits >> 31 || bits <= 0x00400000u)
      return 0;
    std::uint32_t code = bits >> 23, rest = bits & 0x7fffffu;
    // Between 2^-127 and 2^-126, where a float has no hidden bit.
    if (code == 0)
      rest = (rest & 0x3fffffu) << 1;
    code += carry(r, false, code, rest, 23);
    return static_cast<std::uint8_t>(code < 0xfe ? code : 0xfe);
  }
  static float decode(std::uint8_t code) {
    const std::uint32_t exponent = static_cast<std::uint32_t>(code) << 23;
    return __builtin_bit_cast(float, code == 0xff ? 0x7fc00000u : code ? exponent : 0x00400000u);
  }
  template <class I> static std::uint8_t of_integer(I x) {
    if (x <= 0)
      return 0;
    const auto bits = static_cast<std::uint64_t>(x);
    std::uint32_t power = 0;
    while (power < 63 && (bits >> power) > 1)
      ++power;
    return static_cast<std::uint8_t>(127 + power + ((bits & (bits - 1)) != 0));
  }
  static bool is_true(std::uint8_t) { return true; }
};

// Towards zero. NaN becomes 0.
template <class I> I to_integer(float x) {
  if (x != x)
    return 0;
  const float bound = static_cast<float>(std::uint64_t(1) << (std::numeric_limits<I>::digits - 1));
  if (x >= 2.0f * bound)
    return std::numeric_limits<I>::max();
  if constexpr (std::is_signed_v<I>) {
    if (x <= -2.0f * bound)
      return std::numeric_limits<I>::min();
  } else if (x <= 0.0f) {
    return 0;
  }
  return static_cast<I>(x);
}

template <class T>
inline constexpr bool is_float =
    std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_wide_integer =
    std::is_integral_v<T> && (sizeof(T) > 1) && !std::is_same_v<T, wchar_t> &&
    !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;
template <class First, class... T>
inline constexpr bool same_floats = is_float<First> && (std::is_same_v<First, T> && ... && true);

// N numbers of a format.
template <class Format, std::size_t N> class alignas(N) packed {
  static_assert(N == 1 || N == 2, "8-bit floating-point numbers come alone or in pairs");
  template <class T> using if_float = std::enable_if_t<is_float<T>, int>;
  template <class T> using if_integer = std::enable_if_t<N == 1 && is_wide_integer<T>, int>;

public:
  packed() = default;
  template <class... T,
            std::enable_if_t<sizeof...(T) == N && same_floats<std::decay_t<T>...>, int> = 0>
  explicit packed(T... values) {
    std::size_t at = 0;
    ((vals[at++] = of(values, Format::usual, saturation::finite)), ...);
  }
  template <class T, if_float<T> = 0>
  explicit packed(T const (&values)[N], rounding r = Format::usual,
                  saturation s = saturation::finite) {
    for (std::size_t i = 0; i < N; ++i)
      vals[i] = of(values[i], r, s);
  }
  template <class T, if_float<T> = 0>
  explicit packed(const marray<T, N> &values, rounding r = Format::usual,
                  saturation s = saturation::finite) {
    for (std::size_t i = 0; i < N; ++i)
      vals[i] = of(values[i], r, s);
  }
  template <class T, if_integer<T> = 0>
  explicit packed(T value) : vals{Format::template of_integer<T>(value)} {}
  template <class T, std::enable_if_t<N == 1 && is_float<T>, int> = 0> packed &operator=(T value) {
    vals[0] = of(value, Format::usual, saturation::finite);
    return *this;
  }
  template <class T, if_integer<T> = 0> packed &operator=(T value) {
    vals[0] = Format::template of_integer<T>(value);
    return *this;
  }

  template <class T, std::enable_if_t<N == 1 && is_float<T>, int> = 0> explicit operator T() const {
    return T(Format::decode(vals[0]));
  }
  template <class T,
            std::enable_if_t<N == 1 && std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  explicit operator T() const {
    return to_integer<T>(Format::decode(vals[0]));
  }
  template <class T, std::enable_if_t<N == 1 && std::is_same_v<T, bool>, long> = 0>
  explicit operator T() const {
    return Format::is_true(vals[0]);
  }
  template <class T, if_float<T> = 0> explicit operator marray<T, N>() const {
    marray<T, N> values;
    for (std::size_t i = 0; i < N; ++i)
      values[i] = T(Format::decode(vals[i]));
    return values;
  }

  std::uint8_t vals[N];

protected:
  template <class T> static std::uint8_t of(const T &value, rounding r, saturation s) {
    return Format::encode(static_cast<float>(value), r, s);
  }
  template <class Values>
  void round_randomly(const Values &values, std::uint32_t *seed, saturation s) {
    for (std::size_t i = 0; i < N; ++i) {
      // A step of xorshift. It never leaves 0, so that 0 stands for another number.
      std::uint32_t x = *seed ? *seed : 0x9e3779b9u;
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
      *seed = x;
      vals[i] = Format::encode(static_cast<float>(values[i]), rounding::toward_zero, s, &x);
    }
  }
};

} // namespace detail::fp8

namespace ext::oneapi::experimental {

template <std::size_t N>
class fp8_e4m3_x : public sycl::detail::fp8::packed<sycl::detail::fp8::e4m3, N> {
  using base = sycl::detail::fp8::packed<sycl::detail::fp8::e4m3, N>;

public:
  using base::base;
  using base::operator=;
  fp8_e4m3_x() = default;
};
template <std::size_t N>
class fp8_e5m2_x : public sycl::detail::fp8::packed<sycl::detail::fp8::e5m2, N> {
  using base = sycl::detail::fp8::packed<sycl::detail::fp8::e5m2, N>;
  template <class T>
  using if_short = std::enable_if_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, int>;

public:
  using base::base;
  using base::operator=;
  fp8_e5m2_x() = default;
  template <class T, if_short<T> = 0>
  explicit fp8_e5m2_x(T const (&values)[N], const stochastic_seed &seed,
                      saturation s = saturation::finite) {
    this->round_randomly(values, seed.pseed, s);
  }
  template <class T, if_short<T> = 0>
  explicit fp8_e5m2_x(const marray<T, N> &values, const stochastic_seed &seed,
                      saturation s = saturation::finite) {
    this->round_randomly(values, seed.pseed, s);
  }
};
template <std::size_t N>
class fp8_e8m0_x : public sycl::detail::fp8::packed<sycl::detail::fp8::e8m0, N> {
  using base = sycl::detail::fp8::packed<sycl::detail::fp8::e8m0, N>;

public:
  using base::base;
  using base::operator=;
  fp8_e8m0_x() = default;
};
template <class... T, class = std::enable_if_t<(sizeof...(T) > 0)>>
fp8_e4m3_x(T...) -> fp8_e4m3_x<sizeof...(T)>;
template <class... T, class = std::enable_if_t<(sizeof...(T) > 0)>>
fp8_e5m2_x(T...) -> fp8_e5m2_x<sizeof...(T)>;
template <class... T, class = std::enable_if_t<(sizeof...(T) > 0)>>
fp8_e8m0_x(T...) -> fp8_e8m0_x<sizeof...(T)>;

using fp8_e4m3 = fp8_e4m3_x<1>;
using fp8_e4m3_x2 = fp8_e4m3_x<2>;
using fp8_e5m2 = fp8_e5m2_x<1>;
using fp8_e5m2_x2 = fp8_e5m2_x<2>;
using fp8_e8m0 = fp8_e8m0_x<1>;
using fp8_e8m0_x2 = fp8_e8m0_x<2>;

} // namespace ext::oneapi::experimental
} // namespace sycl

#endif
