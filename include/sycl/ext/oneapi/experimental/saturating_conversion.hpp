// Conversions of float to 8-bit integers that round to nearest even and saturate
// (`sycl_ext_oneapi_saturating_conversion`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_SATURATING_CONVERSION_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_SATURATING_CONVERSION_HPP

#include <sycl/builtins.hpp>
#include <sycl/vec.hpp>

#include <cstdint>

namespace sycl {
namespace detail {
// NaN becomes 0. The bounds are whole numbers, so clamping before rounding gives the same result.
inline std::int32_t saturate(float x, float least, float most) {
  if (x != x)
    return 0;
  return static_cast<std::int32_t>(sycl::rint(x < least ? least : x > most ? most : x));
}
} // namespace detail

namespace ext::oneapi::experimental {

inline std::int8_t float_to_int8_rn(float x) {
  return static_cast<std::int8_t>(sycl::detail::saturate(x, -128.0f, 127.0f));
}
inline std::uint8_t float_to_uint8_rn(float x) {
  return static_cast<std::uint8_t>(sycl::detail::saturate(x, 0.0f, 255.0f));
}
// Element i becomes byte i.
inline std::uint32_t float4_to_uint8x4_rn(vec<float, 4> v) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i)
    word |= std::uint32_t(float_to_uint8_rn(v[i])) << (8 * i);
  return word;
}
inline std::int32_t float4_to_int8x4_rn(vec<float, 4> v) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i)
    word |= std::uint32_t(std::uint8_t(float_to_int8_rn(v[i]))) << (8 * i);
  return static_cast<std::int32_t>(word);
}

} // namespace ext::oneapi::experimental
} // namespace sycl

#endif
