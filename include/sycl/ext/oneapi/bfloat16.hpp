// `sycl::ext::oneapi::bfloat16`: the upper half of a float's bits (`sycl_ext_oneapi_bfloat16`).
//
// Every operation computes in float and rounds the result to nearest, ties to even. Devices
// therefore need no support for the type.
#ifndef SCYTHE_EXT_ONEAPI_BFLOAT16_HPP
#define SCYTHE_EXT_ONEAPI_BFLOAT16_HPP

#include <sycl/half.hpp>

#include <cstdint>

namespace sycl {

namespace ext::oneapi {
class bfloat16;
}

namespace detail {
// Types that operate on a bfloat16 as float.
template <class T>
struct joins_bfloat16 : std::enable_if<std::is_convertible_v<const T &, float> &&
                                       !std::is_same_v<T, ext::oneapi::bfloat16>> {};
template <class T> using if_joins_bfloat16 = typename joins_bfloat16<T>::type;
} // namespace detail

namespace ext::oneapi {

class bfloat16 {
public:
  bfloat16() = default;
  constexpr bfloat16(const float &x) : bits_(rounded(x)) {}
  constexpr bfloat16(const half &x) : bits_(rounded(static_cast<float>(x))) {}

  constexpr operator float() const {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits_) << 16);
  }
  constexpr operator half() const { return half(static_cast<float>(*this)); }
  explicit constexpr operator bool() const { return (bits_ & 0x7fffu) != 0; }

  friend constexpr bfloat16 operator-(bfloat16 x) {
    x.bits_ = static_cast<std::uint16_t>(x.bits_ ^ 0x8000u);
    return x;
  }

#define SCYTHE_BFLOAT16_OPERATOR(R, op)                                                            \
  friend constexpr R operator op(bfloat16 a, bfloat16 b) {                                         \
    return static_cast<float>(a) op static_cast<float>(b);                                         \
  }                                                                                                \
  template <class T, class = sycl::detail::if_joins_bfloat16<T>>                                   \
  friend constexpr R operator op(bfloat16 a, const T &b) {                                         \
    return static_cast<float>(a) op static_cast<float>(b);                                         \
  }                                                                                                \
  template <class T, class = sycl::detail::if_joins_bfloat16<T>>                                   \
  friend constexpr R operator op(const T &a, bfloat16 b) {                                         \
    return static_cast<float>(a) op static_cast<float>(b);                                         \
  }
#define SCYTHE_BFLOAT16_ARITHMETIC(op)                                                             \
  SCYTHE_BFLOAT16_OPERATOR(bfloat16, op)                                                           \
  friend constexpr bfloat16 &operator op## = (bfloat16 & a, bfloat16 b) {                          \
    a.bits_ = rounded(static_cast<float>(a) op static_cast<float>(b));                             \
    return a;                                                                                      \
  }                                                                                                \
  template <class T, class = sycl::detail::if_joins_bfloat16<T>>                                   \
  friend constexpr bfloat16 &operator op## = (bfloat16 & a, const T &b) {                          \
    return a = a op b;                                                                             \
  }                                                                                                \
  template <class T, class = std::enable_if_t<std::is_floating_point_v<T>>>                        \
  friend constexpr T &operator op## = (T & a, bfloat16 b) {                                        \
    return a op## = static_cast<float>(b);                                                         \
  }
  SCYTHE_BFLOAT16_ARITHMETIC(+)
  SCYTHE_BFLOAT16_ARITHMETIC(-)
  SCYTHE_BFLOAT16_ARITHMETIC(*)
  SCYTHE_BFLOAT16_ARITHMETIC(/)
  SCYTHE_BFLOAT16_OPERATOR(bool, ==)
  SCYTHE_BFLOAT16_OPERATOR(bool, !=)
  SCYTHE_BFLOAT16_OPERATOR(bool, <)
  SCYTHE_BFLOAT16_OPERATOR(bool, >)
  SCYTHE_BFLOAT16_OPERATOR(bool, <=)
  SCYTHE_BFLOAT16_OPERATOR(bool, >=)
#undef SCYTHE_BFLOAT16_ARITHMETIC
#undef SCYTHE_BFLOAT16_OPERATOR

  friend constexpr bfloat16 &operator++(bfloat16 &x) {
    x.bits_ = rounded(static_cast<float>(x) + 1.0f);
    return x;
  }
  friend constexpr bfloat16 &operator--(bfloat16 &x) {
    x.bits_ = rounded(static_cast<float>(x) - 1.0f);
    return x;
  }
  friend constexpr bfloat16 operator++(bfloat16 &x, int) {
    const bfloat16 old = x;
    x.bits_ = rounded(static_cast<float>(x) + 1.0f);
    return old;
  }
  friend constexpr bfloat16 operator--(bfloat16 &x, int) {
    const bfloat16 old = x;
    x.bits_ = rounded(static_cast<float>(x) - 1.0f);
    return old;
  }

private:
  static constexpr std::uint16_t rounded(float x) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
    // Rounding could carry a NaN's fraction into its exponent. Set the quiet bit of the truncated
    // NaN instead.
    if ((bits & 0x7fffffffu) > 0x7f800000u)
      return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }

  std::uint16_t bits_;
};

} // namespace ext::oneapi
} // namespace sycl

namespace std {

template <>
struct numeric_limits<sycl::ext::oneapi::bfloat16>
    : sycl::detail::binary_limits<sycl::ext::oneapi::bfloat16, 8, -125, 128, 0x7f81> {
  static constexpr int digits10 = 2, max_digits10 = 4, min_exponent10 = -37, max_exponent10 = 38;
};

} // namespace std

#endif
