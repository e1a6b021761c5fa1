// `fma_relu`: a fused multiply-add whose negative results become 0 (`sycl_ext_oneapi_fma_relu`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FMA_RELU_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FMA_RELU_HPP

#include <sycl/ext/oneapi/experimental/bfloat16_math.hpp>

namespace sycl::ext::oneapi::experimental {

// For half, bfloat16, `uint16_t` with the bits of a bfloat16, and `uint32_t` with those of two. NaN
// becomes 0, because it is not greater than 0.
template <class T> T fma_relu(T a, T b, T c) {
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    using part = std::uint16_t;
    const part low = fma_relu(static_cast<part>(a), static_cast<part>(b), static_cast<part>(c));
    const part high = fma_relu(static_cast<part>(a >> 16), static_cast<part>(b >> 16),
                               static_cast<part>(c >> 16));
    return static_cast<T>(high) << 16 | low;
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    const auto number = [](T bits) { return __builtin_bit_cast(bfloat16, bits); };
    return __builtin_bit_cast(T, fma_relu(number(a), number(b), number(c)));
  } else {
    static_assert(std::is_same_v<T, half> || std::is_same_v<T, bfloat16>,
                  "fma_relu: T must be half, bfloat16, uint16_t or uint32_t");
    T sum;
    if constexpr (std::is_same_v<T, half>)
      sum = sycl::fma(a, b, c);
    else
      sum = fma(a, b, c);
    return static_cast<float>(sum) > 0.0f ? sum : T(0.0f);
  }
}

} // namespace sycl::ext::oneapi::experimental

#endif
