// The type that holds a half: the compiler's own where it has one, else the bits, which are converted to float and
// back.
#ifndef SCYTHE_DETAIL_HALF_STORAGE_HPP
#define SCYTHE_DETAIL_HALF_STORAGE_HPP

#include <sycl/detail/config.hpp>

namespace sycl::detail {

#if defined(__FLT16_MAX__) || defined(SCYTHE_DEVICE_PASS)

using float16 = _Float16;
constexpr float16 float16_of(unsigned short bits) { return __builtin_bit_cast(float16, bits); }

#else

// Computes in float, whose 24 bits are enough for every operation to round as if it were exact.
class float16 {
public:
  float16() = default;
  explicit constexpr float16(float x) : bits_(round(x)) {}
  explicit constexpr float16(unsigned short bits, int) : bits_(bits) {}

  constexpr operator float() const {
    const unsigned sign = (bits_ & 0x8000u) << 16, exponent = bits_ >> 10 & 31, fraction = bits_ & 0x3ffu;
    if (exponent == 31)
      return __builtin_bit_cast(float, sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
      const float size = static_cast<float>(fraction) * 0x1p-24f;
      return sign ? -size : size;
    }
    return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | fraction << 13);
  }

private:
  static constexpr unsigned short round(float x) {
    const unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
      return static_cast<unsigned short>(sign | 0x7e00u | (size >> 13 & 0x3ffu));
    if (size >= 0x477ff000u)
      return static_cast<unsigned short>(sign | 0x7c00u);
    // To nearest, ties to even: half of the last place, less one unless the bit above is set.
    if (size >= 0x38800000u)
      return static_cast<unsigned short>(sign | (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13);
    if (size < 0x33000000u)
      return static_cast<unsigned short>(sign);
    const unsigned shift = 126u - (size >> 23), whole = (size & 0x7fffffu) | 0x800000u;
    const unsigned kept = whole >> shift, rest = whole & ((1u << shift) - 1), middle = 1u << (shift - 1);
    return static_cast<unsigned short>(sign | (kept + (rest > middle || (rest == middle && (kept & 1u)) ? 1u : 0u)));
  }

  unsigned short bits_;
};
constexpr float16 float16_of(unsigned short bits) { return float16(bits, 0); }

#endif

} // namespace sycl::detail

#endif
