// Dot products of four bytes (`sycl_ext_oneapi_dot_accumulate`): `c` plus the sum of the products.
// The bytes are vectors, or are packed in integers with the first byte lowest. Each operand is
// signed or unsigned.
#ifndef SCYTHE_EXT_ONEAPI_DOT_PRODUCT_HPP
#define SCYTHE_EXT_ONEAPI_DOT_PRODUCT_HPP

#include <sycl/vec.hpp>

#include <cstdint>

namespace sycl::detail {

// Returns byte `i`, signed or unsigned, of an operand of four bytes.
inline std::int32_t byte_of(std::int32_t packed, int i) {
  return static_cast<std::int8_t>(packed >> 8 * i);
}
inline std::int32_t byte_of(std::uint32_t packed, int i) {
  return static_cast<std::uint8_t>(packed >> 8 * i);
}
inline std::int32_t byte_of(const vec<std::int8_t, 4> &bytes, int i) { return bytes[i]; }
inline std::int32_t byte_of(const vec<std::uint8_t, 4> &bytes, int i) { return bytes[i]; }

// Wraps on overflow, like integers on devices.
template <class A, class B> std::int32_t dot_of(const A &a, const B &b, std::int32_t c) {
  auto sum = static_cast<std::uint32_t>(c);
  for (int i = 0; i < 4; ++i)
    sum += static_cast<std::uint32_t>(byte_of(a, i) * byte_of(b, i));
  return static_cast<std::int32_t>(sum);
}

} // namespace sycl::detail

namespace sycl::ext::oneapi {

template <class A, class B>
auto dot_acc(A a, B b, std::int32_t c)
    -> decltype(sycl::detail::byte_of(a, 0), sycl::detail::byte_of(b, 0)) {
  return sycl::detail::dot_of(a, b, c);
}

} // namespace sycl::ext::oneapi

#endif
