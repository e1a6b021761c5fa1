// The maths functions of the SYCL headers, `__spirv_ocl_<name>`, for float, double and half. What LLVM has an intrinsic
// for becomes one (so that it folds, vectorises and uses the instruction where there is one); the rest is the C
// library's.
#include "device_library.hpp"

SCYTHE_UNARY(__spirv_ocl_acos, __builtin_acos)
SCYTHE_UNARY(__spirv_ocl_acosh, __builtin_acosh)
SCYTHE_UNARY(__spirv_ocl_asin, __builtin_asin)
SCYTHE_UNARY(__spirv_ocl_asinh, __builtin_asinh)
SCYTHE_UNARY(__spirv_ocl_atan, __builtin_atan)
SCYTHE_UNARY(__spirv_ocl_atanh, __builtin_atanh)
SCYTHE_UNARY(__spirv_ocl_cbrt, __builtin_cbrt)
SCYTHE_UNARY(__spirv_ocl_ceil, __builtin_ceil)
SCYTHE_UNARY(__spirv_ocl_cos, __builtin_cos)
SCYTHE_UNARY(__spirv_ocl_cosh, __builtin_cosh)
SCYTHE_UNARY(__spirv_ocl_erf, __builtin_erf)
SCYTHE_UNARY(__spirv_ocl_erfc, __builtin_erfc)
SCYTHE_UNARY(__spirv_ocl_exp, __builtin_exp)
SCYTHE_UNARY(__spirv_ocl_exp2, __builtin_exp2)
SCYTHE_UNARY(__spirv_ocl_exp10, __builtin_exp10)
SCYTHE_UNARY(__spirv_ocl_expm1, __builtin_expm1)
SCYTHE_UNARY(__spirv_ocl_fabs, __builtin_fabs)
SCYTHE_UNARY(__spirv_ocl_floor, __builtin_floor)
SCYTHE_UNARY(__spirv_ocl_lgamma, __builtin_lgamma)
SCYTHE_UNARY(__spirv_ocl_log, __builtin_log)
SCYTHE_UNARY(__spirv_ocl_log2, __builtin_log2)
SCYTHE_UNARY(__spirv_ocl_log10, __builtin_log10)
SCYTHE_UNARY(__spirv_ocl_log1p, __builtin_log1p)
SCYTHE_UNARY(__spirv_ocl_logb, __builtin_logb)
SCYTHE_UNARY(__spirv_ocl_rint, __builtin_rint)
SCYTHE_UNARY(__spirv_ocl_round, __builtin_round)
SCYTHE_UNARY(__spirv_ocl_sin, __builtin_sin)
SCYTHE_UNARY(__spirv_ocl_sinh, __builtin_sinh)
SCYTHE_UNARY(__spirv_ocl_sqrt, __builtin_sqrt)
SCYTHE_UNARY(__spirv_ocl_tan, __builtin_tan)
SCYTHE_UNARY(__spirv_ocl_tanh, __builtin_tanh)
SCYTHE_UNARY(__spirv_ocl_tgamma, __builtin_tgamma)
SCYTHE_UNARY(__spirv_ocl_trunc, __builtin_trunc)

SCYTHE_BINARY(__spirv_ocl_atan2, __builtin_atan2)
SCYTHE_BINARY(__spirv_ocl_copysign, __builtin_copysign)
SCYTHE_BINARY(__spirv_ocl_fdim, __builtin_fdim)
SCYTHE_BINARY(__spirv_ocl_fmax, __builtin_fmax)
SCYTHE_BINARY(__spirv_ocl_fmin, __builtin_fmin)
SCYTHE_BINARY(__spirv_ocl_fmax_common, __builtin_fmax)
SCYTHE_BINARY(__spirv_ocl_fmin_common, __builtin_fmin)
SCYTHE_BINARY(__spirv_ocl_fmod, __builtin_fmod)
SCYTHE_BINARY(__spirv_ocl_hypot, __builtin_hypot)
SCYTHE_BINARY(__spirv_ocl_pow, __builtin_pow)
SCYTHE_BINARY(__spirv_ocl_powr, __builtin_pow)
SCYTHE_BINARY(__spirv_ocl_remainder, __builtin_remainder)

// The next number differs between half and float, so half steps through its own bits.
SCYTHE_DEVICE float __spirv_ocl_nextafter(float x, float y) noexcept { return __builtin_nextafterf(x, y); }
SCYTHE_DEVICE double __spirv_ocl_nextafter(double x, double y) noexcept { return __builtin_nextafter(x, y); }
SCYTHE_DEVICE half __spirv_ocl_nextafter(half x, half y) noexcept {
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  unsigned short bits = __builtin_bit_cast(unsigned short, x);
  if (x == static_cast<half>(0))
    bits = static_cast<unsigned short>((__builtin_bit_cast(unsigned short, y) & 0x8000u) | 1u);
  else
    bits = static_cast<unsigned short>((x < y) == (x > static_cast<half>(0)) ? bits + 1 : bits - 1);
  return __builtin_bit_cast(half, bits);
}

namespace scythe_device_library {

template <class T> constexpr T pi = static_cast<T>(3.141592653589793238462643383279502884L);

template <class T> T rsqrt(T x) { return T(1) / sqrt_of(x); }
template <class T> T mad(T x, T y, T z) { return x * y + z; }
template <class T> T fused(T x, T y, T z) { return fma_of(x, y, z); }
template <class T> T clamp(T x, T low, T high) { return fmin_of(fmax_of(x, low), high); }
template <class T> T mix(T x, T y, T a) { return x + (y - x) * a; }
template <class T> T degrees(T x) { return x * (T(180) / pi<T>); }
template <class T> T radians(T x) { return x * (pi<T> / T(180)); }
template <class T> T step(T edge, T x) { return x < edge ? T(0) : T(1); }
template <class T> T smoothstep(T edge0, T edge1, T x) {
  const T t = clamp((x - edge0) / (edge1 - edge0), T(0), T(1));
  return t * t * (T(3) - T(2) * t);
}
template <class T> T sign(T x) { return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? x : T(0); }
template <class T> T maxmag(T x, T y) { return abs_of(x) > abs_of(y) ? x : abs_of(y) > abs_of(x) ? y : fmax_of(x, y); }
template <class T> T minmag(T x, T y) { return abs_of(x) < abs_of(y) ? x : abs_of(y) < abs_of(x) ? y : fmin_of(x, y); }
template <class T> T recip(T x) { return T(1) / x; }
template <class T> T divided(T x, T y) { return x / y; }

// sin(pi x): x is brought into [-1/2, 1/2] without rounding, where the product with pi is small.
template <class T> T sinpi(T x) {
  if (__builtin_isinf(x))
    return x - x;
  T r = x - T(2) * rint_of(x / T(2));
  if (r > T(0.5))
    r = T(1) - r;
  else if (r < T(-0.5))
    r = T(-1) - r;
  return r == T(0) ? copysign_of(T(0), x) : sin_of(pi<T> * r);
}
template <class T> T cospi(T x) {
  if (__builtin_isinf(x))
    return x - x;
  const T r = abs_of(x - T(2) * rint_of(x / T(2)));
  // Around one half the sine of the distance keeps the bits that the cosine would lose.
  return r <= T(0.25) ? cos_of(pi<T> * r) : r < T(0.75) ? sin_of(pi<T> * (T(0.5) - r)) : -cos_of(pi<T> * (T(1) - r));
}
template <class T> T tanpi(T x) { return sinpi(x) / cospi(x); }

template <class T> T pown(T x, int n) { return pow_of(x, static_cast<T>(n)); }
template <class T> T rootn(T x, int n) {
  if (n == 0)
    return static_cast<T>(__builtin_nan(""));
  const T r = pow_of(abs_of(x), T(1) / static_cast<T>(n));
  if (n % 2 != 0)
    return copysign_of(r, x);
  return x < T(0) ? static_cast<T>(__builtin_nan("")) : r;
}

// The largest number below one: what `fract` returns where the difference rounds up to one.
template <class T> T below_one();
template <> inline float below_one<float>() { return 0x1.fffffep-1f; }
template <> inline double below_one<double>() { return 0x1.fffffffffffffp-1; }

template <class T> T fract(T x, T &whole) {
  whole = floor_of(x);
  return __builtin_isinf(x) ? copysign_of(T(0), x) : fmin_of(x - whole, below_one<T>());
}

} // namespace scythe_device_library

namespace scythe_device_library {
template <class T> T asinpi(T x);
template <class T> T acospi(T x);
template <class T> T atanpi(T x);
template <> inline float asinpi(float x) { return __builtin_asinf(x) / pi<float>; }
template <> inline double asinpi(double x) { return __builtin_asin(x) / pi<double>; }
template <> inline float acospi(float x) { return __builtin_acosf(x) / pi<float>; }
template <> inline double acospi(double x) { return __builtin_acos(x) / pi<double>; }
template <> inline float atanpi(float x) { return __builtin_atanf(x) / pi<float>; }
template <> inline double atanpi(double x) { return __builtin_atan(x) / pi<double>; }
template <class T> T atan2pi(T y, T x) { return atan2_of(y, x) / pi<T>; }
} // namespace scythe_device_library

SCYTHE_UNARY_FORMULA(__spirv_ocl_acospi, scythe_device_library::acospi)
SCYTHE_UNARY_FORMULA(__spirv_ocl_asinpi, scythe_device_library::asinpi)
SCYTHE_UNARY_FORMULA(__spirv_ocl_atanpi, scythe_device_library::atanpi)
SCYTHE_UNARY_FORMULA(__spirv_ocl_cospi, scythe_device_library::cospi)
SCYTHE_UNARY_FORMULA(__spirv_ocl_sinpi, scythe_device_library::sinpi)
SCYTHE_UNARY_FORMULA(__spirv_ocl_tanpi, scythe_device_library::tanpi)
SCYTHE_UNARY_FORMULA(__spirv_ocl_rsqrt, scythe_device_library::rsqrt)
SCYTHE_UNARY_FORMULA(__spirv_ocl_degrees, scythe_device_library::degrees)
SCYTHE_UNARY_FORMULA(__spirv_ocl_radians, scythe_device_library::radians)
SCYTHE_UNARY_FORMULA(__spirv_ocl_sign, scythe_device_library::sign)
SCYTHE_BINARY_FORMULA(__spirv_ocl_atan2pi, scythe_device_library::atan2pi)
SCYTHE_BINARY_FORMULA(__spirv_ocl_maxmag, scythe_device_library::maxmag)
SCYTHE_BINARY_FORMULA(__spirv_ocl_minmag, scythe_device_library::minmag)
SCYTHE_BINARY_FORMULA(__spirv_ocl_step, scythe_device_library::step)
SCYTHE_TERNARY_FORMULA(__spirv_ocl_fclamp, scythe_device_library::clamp)
SCYTHE_TERNARY_FORMULA(__spirv_ocl_fma, scythe_device_library::fused)
SCYTHE_TERNARY_FORMULA(__spirv_ocl_mad, scythe_device_library::mad)
SCYTHE_TERNARY_FORMULA(__spirv_ocl_mix, scythe_device_library::mix)
SCYTHE_TERNARY_FORMULA(__spirv_ocl_smoothstep, scythe_device_library::smoothstep)

// `native_` and `half_` functions may be less exact; on the CPU they are the exact ones.
#define SCYTHE_RELAXED_UNARY(name, builtin)                                                                            \
  SCYTHE_DEVICE float __spirv_ocl_native_##name(float x) noexcept { return builtin(x); }                               \
  SCYTHE_DEVICE float __spirv_ocl_half_##name(float x) noexcept { return builtin(x); }
SCYTHE_RELAXED_UNARY(cos, __builtin_cosf)
SCYTHE_RELAXED_UNARY(exp, __builtin_expf)
SCYTHE_RELAXED_UNARY(exp2, __builtin_exp2f)
SCYTHE_RELAXED_UNARY(exp10, __builtin_exp10f)
SCYTHE_RELAXED_UNARY(log, __builtin_logf)
SCYTHE_RELAXED_UNARY(log2, __builtin_log2f)
SCYTHE_RELAXED_UNARY(log10, __builtin_log10f)
SCYTHE_RELAXED_UNARY(recip, scythe_device_library::recip<float>)
SCYTHE_RELAXED_UNARY(rsqrt, scythe_device_library::rsqrt<float>)
SCYTHE_RELAXED_UNARY(sin, __builtin_sinf)
SCYTHE_RELAXED_UNARY(sqrt, __builtin_sqrtf)
SCYTHE_RELAXED_UNARY(tan, __builtin_tanf)
#undef SCYTHE_RELAXED_UNARY

#define SCYTHE_RELAXED_BINARY(name, builtin)                                                                           \
  SCYTHE_DEVICE float __spirv_ocl_native_##name(float x, float y) noexcept { return builtin(x, y); }                   \
  SCYTHE_DEVICE float __spirv_ocl_half_##name(float x, float y) noexcept { return builtin(x, y); }
SCYTHE_RELAXED_BINARY(divide, scythe_device_library::divided<float>)
SCYTHE_RELAXED_BINARY(powr, __builtin_powf)
#undef SCYTHE_RELAXED_BINARY

// Functions with integers, or with a second result through a pointer: the same text for each type. `T` is the type,
// `W` the one it computes in, `suffix` that of W's builtins.
#define SCYTHE_MIXED(T, W, suffix)                                                                                     \
  SCYTHE_DEVICE T __spirv_ocl_ldexp(T x, int n) noexcept {                                                             \
    return static_cast<T>(scythe_device_library::scale_of(static_cast<W>(x), n));                                      \
  }                                                                                                                    \
  SCYTHE_DEVICE T __spirv_ocl_pown(T x, int n) noexcept {                                                              \
    return static_cast<T>(scythe_device_library::pown<W>(static_cast<W>(x), n));                                       \
  }                                                                                                                    \
  SCYTHE_DEVICE T __spirv_ocl_rootn(T x, int n) noexcept {                                                             \
    return static_cast<T>(scythe_device_library::rootn<W>(static_cast<W>(x), n));                                      \
  }                                                                                                                    \
  SCYTHE_DEVICE int __spirv_ocl_ilogb(T x) noexcept { return __builtin_ilogb##suffix(static_cast<W>(x)); }             \
  SCYTHE_DEVICE T __spirv_ocl_fract(T x, T *whole) noexcept {                                                          \
    W w;                                                                                                               \
    const W rest = scythe_device_library::fract<W>(static_cast<W>(x), w);                                              \
    *whole = static_cast<T>(w);                                                                                        \
    return static_cast<T>(rest);                                                                                       \
  }                                                                                                                    \
  SCYTHE_DEVICE T __spirv_ocl_frexp(T x, int *exponent) noexcept {                                                     \
    int e;                                                                                                             \
    const W fraction = __builtin_frexp##suffix(static_cast<W>(x), &e);                                                 \
    *exponent = e;                                                                                                     \
    return static_cast<T>(fraction);                                                                                   \
  }                                                                                                                    \
  SCYTHE_DEVICE T __spirv_ocl_modf(T x, T *whole) noexcept {                                                           \
    const W w = __builtin_trunc##suffix(static_cast<W>(x));                                                            \
    const W rest = __builtin_isinf(static_cast<W>(x)) ? W(0) : static_cast<W>(x) - w;                                  \
    *whole = static_cast<T>(w);                                                                                        \
    return static_cast<T>(__builtin_copysign##suffix(rest, static_cast<W>(x)));                                        \
  }                                                                                                                    \
  SCYTHE_DEVICE T __spirv_ocl_sincos(T x, T *cosine) noexcept {                                                        \
    *cosine = static_cast<T>(__builtin_cos##suffix(static_cast<W>(x)));                                                \
    return static_cast<T>(__builtin_sin##suffix(static_cast<W>(x)));                                                   \
  }                                                                                                                    \
  SCYTHE_DEVICE T __spirv_ocl_lgamma_r(T x, int *sign) noexcept {                                                      \
    const W w = static_cast<W>(x);                                                                                     \
    /* Gamma is negative between -1 and 0, -3 and -2, and so on. */                                                    \
    const W whole = __builtin_floor##suffix(w);                                                                        \
    *sign = w < W(0) && whole != w && __builtin_fmod##suffix(whole, W(2)) != W(0) ? -1 : 1;                            \
    return static_cast<T>(__builtin_lgamma##suffix(w));                                                                \
  }                                                                                                                    \
  SCYTHE_DEVICE T __spirv_ocl_remquo(T x, T y, int *quotient) noexcept {                                               \
    const W a = static_cast<W>(x), b = static_cast<W>(y);                                                              \
    const W rest = __builtin_remainder##suffix(a, b);                                                                  \
    /* The low bits of the quotient: what is left modulo eight divisors. */                                            \
    const W low = __builtin_fmod##suffix(a, W(8) * b);                                                                 \
    *quotient = __builtin_isfinite(low) ? static_cast<int>(__builtin_rint##suffix((low - rest) / b)) % 8 : 0;          \
    return static_cast<T>(rest);                                                                                       \
  }

SCYTHE_MIXED(float, float, f)
SCYTHE_MIXED(double, double, )
SCYTHE_MIXED(half, float, f)
#undef SCYTHE_MIXED

SCYTHE_DEVICE float __spirv_ocl_nan(unsigned int code) noexcept {
  return __builtin_bit_cast(float, 0x7fc00000u | (code & 0x3fffffu));
}
SCYTHE_DEVICE double __spirv_ocl_nan(unsigned long code) noexcept {
  return __builtin_bit_cast(double, 0x7ff8000000000000ul | (code & 0x7fffffffffffful));
}
SCYTHE_DEVICE half __spirv_ocl_nan(unsigned short code) noexcept {
  return __builtin_bit_cast(half, static_cast<unsigned short>(0x7e00u | (code & 0x1ffu)));
}
