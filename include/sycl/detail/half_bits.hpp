// IEEE 754's binary16 as bits, to float and back, without a type of 16 bits: for compilers and devices that have none.
#ifndef SCYTHE_DETAIL_HALF_BITS_HPP
#define SCYTHE_DETAIL_HALF_BITS_HPP

namespace sycl::detail {

constexpr float float_of_half_bits(unsigned short bits) {
  const unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ffu;
  if (exponent == 31)
    return __builtin_bit_cast(float, sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -size : size;
  }
  return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | fraction << 13);
}

// The nearest, ties to even.
constexpr unsigned short half_bits_of(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
  if (size > 0x7f800000u)
    return static_cast<unsigned short>(sign | 0x7e00u | (size >> 13 & 0x3ffu));
  if (size >= 0x477ff000u)
    return static_cast<unsigned short>(sign | 0x7c00u);
  // Half of the last place, less one unless the bit above is set.
  if (size >= 0x38800000u)
    return static_cast<unsigned short>(sign | (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13);
  if (size < 0x33000000u)
    return static_cast<unsigned short>(sign);
  const unsigned shift = 126u - (size >> 23), whole = (size & 0x7fffffu) | 0x800000u;
  const unsigned kept = whole >> shift, rest = whole & ((1u << shift) - 1), middle = 1u << (shift - 1);
  return static_cast<unsigned short>(sign | (kept + (rest > middle || (rest == middle && (kept & 1u)) ? 1u : 0u)));
}

} // namespace sycl::detail

#endif
