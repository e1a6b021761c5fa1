// Converts between IEEE 754 binary16 bits and float, for compilers and devices without a 16-bit
// floating-point type.
//
// These are templates over float, so that programs only compile the functions they use.
#ifndef SCYTHE_DETAIL_HALF_BITS_HPP
#define SCYTHE_DETAIL_HALF_BITS_HPP

namespace sycl::detail {

template <class Float> constexpr Float float_of_half_bits(unsigned bits) {
  const unsigned sign = (bits & 0x8000u) << 16, size = bits & 0x7fffu;
  if (size < 0x400)
    return (sign ? Float(-0x1p-24f) : Float(0x1p-24f)) * Float(size);
  // Infinity and NaN keep the largest exponent. Other exponents increase by 112.
  return __builtin_bit_cast(Float,
                            sign | ((size << 13) + (size < 0x7c00 ? 0x38000000u : 0x70000000u)));
}

// Rounds to nearest, ties to even.
template <class Float> constexpr unsigned short half_bits_of(Float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x), size = bits & 0x7fffffffu;
  // Add half of the last place, and subtract one unless the bit above is set. Small numbers are
  // rounded by adding one half, whose last place is the last place of the result.
  const unsigned rounded =
      size > 0x7f800000u   ? 0x7e00u | (size >> 13 & 0x3ffu)
      : size > 0x477fffffu ? 0x7c00u
      : size < 0x38800000u
          ? __builtin_bit_cast(unsigned, __builtin_bit_cast(Float, size) + Float(0.5f)) -
                0x3f000000u
          : (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13;
  return static_cast<unsigned short>((bits >> 16 & 0x8000u) | rounded);
}

} // namespace sycl::detail

#endif
