// The storage type of half: the compiler's type if it has one, otherwise the bits, which are
// converted to float and back.
#ifndef SCYTHE_DETAIL_HALF_STORAGE_HPP
#define SCYTHE_DETAIL_HALF_STORAGE_HPP

#include <sycl/detail/config.hpp>
#if !defined(__FLT16_MAX__) && !defined(SCYTHE_DEVICE_PASS)
#include <sycl/detail/half_bits.hpp>
#endif

namespace sycl::detail {

#if defined(__FLT16_MAX__) || defined(SCYTHE_DEVICE_PASS)

using float16 = _Float16;
constexpr float16 float16_of(unsigned short bits) { return __builtin_bit_cast(float16, bits); }

#else

// Computes in float. Its 24 bits are enough to round every operation correctly.
class float16 {
public:
  float16() = default;
  explicit constexpr float16(float x) : bits_(half_bits_of<float>(x)) {}
  explicit constexpr float16(unsigned short bits, int) : bits_(bits) {}
  constexpr operator float() const { return float_of_half_bits<float>(bits_); }

private:
  unsigned short bits_;
};
constexpr float16 float16_of(unsigned short bits) { return float16(bits, 0); }

#endif

} // namespace sycl::detail

#endif
