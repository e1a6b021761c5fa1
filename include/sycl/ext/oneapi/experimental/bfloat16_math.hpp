// Mathematical functions of bfloat16, and of vectors and mathematical arrays of bfloat16
// (`sycl_ext_oneapi_bfloat16_math_functions`). They compute in float and round.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_BFLOAT16_MATH_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_BFLOAT16_MATH_HPP

#include <sycl/builtins.hpp>
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/marray.hpp>

namespace sycl::detail {

template <class V>
using if_bfloat16 =
    std::enable_if_t<std::is_same_v<typename shape<V>::element, ext::oneapi::bfloat16>, V>;

// Calls `f` with the operands' elements, or with the operands.
template <class R, class F, class V, class... Rest>
R for_each_bfloat16(F f, const V &x, const Rest &...rest) {
  if constexpr (has_elements<V>) {
    R r{};
    for (int i = 0; i < shape<V>::count; ++i)
      r[i] = f(static_cast<float>(x[i]), static_cast<float>(rest[i])...);
    return r;
  } else {
    return f(static_cast<float>(x), static_cast<float>(rest)...);
  }
}

// Returns a float that rounds to the same `bfloat16` as the exact value of `a * b + c`. The product
// of two bfloat16 has 16 bits and is exact in float, but the sum is not. If the sum is inexact, its
// last bit is set to odd. An odd float lies between the same neighbours as the exact value and
// cannot be a tie.
inline float sum_to_odd(float a, float b, float c) {
  const float product = a * b, sum = product + c;
  const float part = sum - product, lost = (product - (sum - part)) + (c - part);
  std::uint32_t bits = __builtin_bit_cast(std::uint32_t, sum);
  if (!(lost < 0.0f || lost > 0.0f) || (bits & 1u))
    return sum;
  // Move towards the exact value: away from zero if the lost part has the sign of the sum.
  bits = (lost > 0.0f) == (sum > 0.0f) ? bits + 1 : bits - 1;
  return __builtin_bit_cast(float, bits);
}

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

using oneapi::bfloat16;

// The functions take `auto`, so that only programs that call them compile those of float.
#define SCYTHE_BFLOAT16_UNARY(name)                                                                \
  template <class T> sycl::detail::if_bfloat16<T> name(T x) {                                      \
    return sycl::detail::for_each_bfloat16<T>([](auto y) { return bfloat16(sycl::name(y)); }, x);  \
  }
SCYTHE_BFLOAT16_UNARY(fabs)
SCYTHE_BFLOAT16_UNARY(ceil)
SCYTHE_BFLOAT16_UNARY(floor)
SCYTHE_BFLOAT16_UNARY(cos)
SCYTHE_BFLOAT16_UNARY(sin)
SCYTHE_BFLOAT16_UNARY(exp)
SCYTHE_BFLOAT16_UNARY(exp2)
SCYTHE_BFLOAT16_UNARY(exp10)
SCYTHE_BFLOAT16_UNARY(log)
SCYTHE_BFLOAT16_UNARY(log2)
SCYTHE_BFLOAT16_UNARY(log10)
SCYTHE_BFLOAT16_UNARY(rint)
SCYTHE_BFLOAT16_UNARY(sqrt)
SCYTHE_BFLOAT16_UNARY(rsqrt)
SCYTHE_BFLOAT16_UNARY(trunc)
SCYTHE_BFLOAT16_UNARY(tanh)
#undef SCYTHE_BFLOAT16_UNARY

#define SCYTHE_BFLOAT16_BINARY(name)                                                               \
  template <class T> sycl::detail::if_bfloat16<T> name(T x, T y) {                                 \
    return sycl::detail::for_each_bfloat16<T>(                                                     \
        [](auto a, auto b) { return bfloat16(sycl::name(a, b)); }, x, y);                          \
  }
SCYTHE_BFLOAT16_BINARY(fmin)
SCYTHE_BFLOAT16_BINARY(fmax)
#undef SCYTHE_BFLOAT16_BINARY

template <class T> sycl::detail::if_bfloat16<T> fma(T x, T y, T z) {
  return sycl::detail::for_each_bfloat16<T>(
      [](float a, float b, float c) { return bfloat16(sycl::detail::sum_to_odd(a, b, c)); }, x, y,
      z);
}

inline bool isnan(bfloat16 x) { return __builtin_isnan(static_cast<float>(x)); }
template <std::size_t N> marray<bool, N> isnan(marray<bfloat16, N> x) {
  return sycl::detail::for_each_bfloat16<marray<bool, N>>(
      [](float y) { return static_cast<bool>(__builtin_isnan(y)); }, x);
}

} // namespace sycl::ext::oneapi::experimental

#endif
