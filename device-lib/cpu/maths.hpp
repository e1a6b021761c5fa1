// The maths functions of the SYCL headers, `__spirv_ocl_<name>`, for float, double and half.
//
// The functions of `maths_*.hpp` are inlined into kernels and are vectorised with them. Functions
// with an LLVM intrinsic that maps to an instruction use the intrinsic. Gamma functions and exact
// remainders call the C library, because their running time depends too much on the arguments for
// vector code.
#include "maths_entries.hpp"
#include "maths_erf.hpp"
#include "maths_exp.hpp"
#include "maths_inverse_trig.hpp"
#include "maths_log.hpp"
#include "maths_native.hpp"
#include "maths_number.hpp"
#include "maths_power.hpp"
#include "maths_trig.hpp"

// Defines `name` from a function template.
#define SCYTHE_MATHS_1(name, formula)                                                              \
  SCYTHE_OF_1(name, scythe_device_library::formula, scythe_device_library::formula)
#define SCYTHE_MATHS_2(name, formula)                                                              \
  SCYTHE_OF_2(name, scythe_device_library::formula, scythe_device_library::formula)
#define SCYTHE_MATHS_3(name, formula)                                                              \
  SCYTHE_OF_3(name, scythe_device_library::formula, scythe_device_library::formula)

SCYTHE_MATHS_1(acos, acos_of_any)
SCYTHE_MATHS_1(acosh, acosh_of_any)
SCYTHE_MATHS_1(acospi, acospi_of_any)
SCYTHE_MATHS_1(asin, asin_of_any)
SCYTHE_MATHS_1(asinh, asinh_of_any)
SCYTHE_MATHS_1(asinpi, asinpi_of_any)
SCYTHE_MATHS_1(atan, atan_of_any)
SCYTHE_MATHS_1(atanh, atanh_of_any)
SCYTHE_MATHS_1(atanpi, atanpi_of_any)
SCYTHE_MATHS_1(cbrt, cbrt_of_any)
SCYTHE_MATHS_1(cos, cos_of_any)
SCYTHE_MATHS_1(cosh, cosh_of_any)
SCYTHE_MATHS_1(cospi, cospi_of_any)
SCYTHE_MATHS_1(degrees, degrees_of_any)
SCYTHE_MATHS_1(erf, erf_of_any)
SCYTHE_MATHS_1(erfc, erfc_of_any)
SCYTHE_MATHS_1(exp, exp_of_any)
SCYTHE_MATHS_1(exp10, exp10_of_any)
SCYTHE_MATHS_1(exp2, exp2_of_any)
SCYTHE_MATHS_1(expm1, expm1_of_any)
SCYTHE_MATHS_1(log, log_of_any)
SCYTHE_MATHS_1(log10, log10_of_any)
SCYTHE_MATHS_1(log1p, log1p_of_any)
SCYTHE_MATHS_1(log2, log2_of_any)
SCYTHE_MATHS_1(logb, logb_of_any)
SCYTHE_MATHS_1(radians, radians_of_any)
SCYTHE_MATHS_1(rsqrt, rsqrt_of_any)
SCYTHE_MATHS_1(sign, sign_of_any)
SCYTHE_MATHS_1(sin, sin_of_any)
SCYTHE_MATHS_1(sinh, sinh_of_any)
SCYTHE_MATHS_1(sinpi, sinpi_of_any)
SCYTHE_MATHS_1(sqrt, root)
SCYTHE_MATHS_1(tan, tan_of_any)
SCYTHE_MATHS_1(tanh, tanh_of_any)
SCYTHE_MATHS_1(tanpi, tanpi_of_any)

SCYTHE_MATHS_2(atan2, atan2_of_any)
SCYTHE_MATHS_2(atan2pi, atan2pi_of_any)
SCYTHE_MATHS_2(copysign, with_sign)
SCYTHE_MATHS_2(fdim, fdim_of_any)
SCYTHE_MATHS_2(fmax, fmax_of_any)
SCYTHE_MATHS_2(fmax_common, fmax_of_any)
SCYTHE_MATHS_2(fmin, fmin_of_any)
SCYTHE_MATHS_2(fmin_common, fmin_of_any)
SCYTHE_MATHS_2(hypot, hypot_of_any)
SCYTHE_MATHS_2(maxmag, maxmag_of_any)
SCYTHE_MATHS_2(minmag, minmag_of_any)
SCYTHE_MATHS_2(pow, pow_of_any)
SCYTHE_MATHS_2(powr, powr_of_any)
SCYTHE_MATHS_2(step, step_of_any)

SCYTHE_MATHS_3(fclamp, clamp_of_any)
SCYTHE_MATHS_3(mad, mad_of_any)
SCYTHE_MATHS_3(mix, mix_of_any)
SCYTHE_MATHS_3(smoothstep, smoothstep_of_any)

SCYTHE_MATHS float __spirv_ocl_fma(float x, float y, float z) noexcept {
  return scythe_device_library::fused(x, y, z);
}
SCYTHE_MATHS double __spirv_ocl_fma(double x, double y, double z) noexcept {
  return scythe_device_library::fused(x, y, z);
}
// The product of two halves plus a third half needs up to 40 bits. Both operations are exact in
// double, and the result is rounded once.
SCYTHE_MATHS half __spirv_ocl_fma(half x, half y, half z) noexcept {
  return static_cast<half>(static_cast<double>(x) * static_cast<double>(y) +
                           static_cast<double>(z));
}

#undef SCYTHE_MATHS_1
#undef SCYTHE_MATHS_2
#undef SCYTHE_MATHS_3

SCYTHE_UNARY(__spirv_ocl_ceil, __builtin_ceil)
SCYTHE_UNARY(__spirv_ocl_fabs, __builtin_fabs)
SCYTHE_UNARY(__spirv_ocl_floor, __builtin_floor)
SCYTHE_UNARY(__spirv_ocl_rint, __builtin_rint)
SCYTHE_UNARY(__spirv_ocl_round, __builtin_round)
SCYTHE_UNARY(__spirv_ocl_trunc, __builtin_trunc)

SCYTHE_UNARY(__spirv_ocl_lgamma, __builtin_lgamma)
SCYTHE_UNARY(__spirv_ocl_tgamma, __builtin_tgamma)
SCYTHE_BINARY(__spirv_ocl_fmod, __builtin_fmod)
SCYTHE_BINARY(__spirv_ocl_remainder, __builtin_remainder)

SCYTHE_MATHS float __spirv_ocl_nextafter(float x, float y) noexcept {
  return scythe_device_library::nextafter_of_any(x, y);
}
SCYTHE_MATHS double __spirv_ocl_nextafter(double x, double y) noexcept {
  return scythe_device_library::nextafter_of_any(x, y);
}

#define SCYTHE_RELAXED(name, formula)                                                              \
  SCYTHE_MATHS float __spirv_ocl_native_##name(float x) noexcept {                                 \
    return scythe_device_library::formula<scythe_device_library::precision::native>(x);            \
  }                                                                                                \
  SCYTHE_MATHS float __spirv_ocl_half_##name(float x) noexcept {                                   \
    return scythe_device_library::formula<scythe_device_library::precision::half>(x);              \
  }
SCYTHE_RELAXED(cos, fast_cos)
SCYTHE_RELAXED(exp, fast_exp)
SCYTHE_RELAXED(exp10, fast_exp10)
SCYTHE_RELAXED(exp2, fast_exp2)
SCYTHE_RELAXED(log, fast_log)
SCYTHE_RELAXED(log10, fast_log10)
SCYTHE_RELAXED(log2, fast_log2)
SCYTHE_RELAXED(sin, fast_sin)
SCYTHE_RELAXED(tan, fast_tan)
#undef SCYTHE_RELAXED

// Functions that map to one instruction or nearly so. They are the same in both forms.
#define SCYTHE_RELAXED_BOTH(kind)                                                                  \
  SCYTHE_MATHS float __spirv_ocl_##kind##_recip(float x) noexcept {                                \
    return scythe_device_library::fast_recip(x);                                                   \
  }                                                                                                \
  SCYTHE_MATHS float __spirv_ocl_##kind##_rsqrt(float x) noexcept {                                \
    return scythe_device_library::fast_rsqrt(x);                                                   \
  }                                                                                                \
  SCYTHE_MATHS float __spirv_ocl_##kind##_sqrt(float x) noexcept {                                 \
    return scythe_device_library::root(x);                                                         \
  }                                                                                                \
  SCYTHE_MATHS float __spirv_ocl_##kind##_divide(float x, float y) noexcept {                      \
    return scythe_device_library::fast_divide(x, y);                                               \
  }                                                                                                \
  SCYTHE_MATHS float __spirv_ocl_##kind##_powr(float x, float y) noexcept {                        \
    return scythe_device_library::fast_powr<scythe_device_library::precision::kind>(x, y);         \
  }
SCYTHE_RELAXED_BOTH(native)
SCYTHE_RELAXED_BOTH(half)
#undef SCYTHE_RELAXED_BOTH

// Functions that take integers or return a second result through a pointer. `T` is the type, `W` is
// the type of the computation, and `suffix` is the suffix of W's builtins.
#define SCYTHE_MIXED(T, W, suffix)                                                                 \
  SCYTHE_MATHS T __spirv_ocl_ldexp(T x, int n) noexcept {                                          \
    return static_cast<T>(scythe_device_library::ldexp_of_any(static_cast<W>(x), n));              \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_pown(T x, int n) noexcept {                                           \
    return static_cast<T>(scythe_device_library::pown_of_any(static_cast<W>(x), n));               \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_rootn(T x, int n) noexcept {                                          \
    return static_cast<T>(scythe_device_library::rootn_of_any(static_cast<W>(x), n));              \
  }                                                                                                \
  SCYTHE_MATHS int __spirv_ocl_ilogb(T x) noexcept {                                               \
    return scythe_device_library::ilogb_of_any(static_cast<W>(x));                                 \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_fract(T x, T *whole) noexcept {                                       \
    const auto parts = scythe_device_library::fract_of_any(static_cast<W>(x));                     \
    *whole = static_cast<T>(parts.whole);                                                          \
    /* In half, too, the result is below one. */                                                   \
    return static_cast<T>(sizeof(T) == 2 && parts.rest > W(0x1.ffcp-1) ? W(0x1.ffcp-1)             \
                                                                       : parts.rest);              \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_frexp(T x, int *exponent) noexcept {                                  \
    const auto parts = scythe_device_library::frexp_of_any(static_cast<W>(x));                     \
    *exponent = parts.exponent;                                                                    \
    return static_cast<T>(parts.fraction);                                                         \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_modf(T x, T *whole) noexcept {                                        \
    const W w = __builtin_trunc##suffix(static_cast<W>(x));                                        \
    const W rest = __builtin_isinf(static_cast<W>(x)) ? W(0) : static_cast<W>(x) - w;              \
    *whole = static_cast<T>(w);                                                                    \
    return static_cast<T>(__builtin_copysign##suffix(rest, static_cast<W>(x)));                    \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_sincos(T x, T *cosine) noexcept {                                     \
    const auto both = scythe_device_library::sincos_of_any(static_cast<W>(x));                     \
    *cosine = static_cast<T>(both.cosine);                                                         \
    return static_cast<T>(both.sine);                                                              \
  }                                                                                                \
  SCYTHE_DEVICE T __spirv_ocl_lgamma_r(T x, int *sign) noexcept {                                  \
    const W w = static_cast<W>(x);                                                                 \
    /* Gamma is negative between -1 and 0, -3 and -2, and so on. */                                \
    const W whole = __builtin_floor##suffix(w);                                                    \
    *sign = w < W(0) && whole != w && __builtin_fmod##suffix(whole, W(2)) != W(0) ? -1 : 1;        \
    return static_cast<T>(__builtin_lgamma##suffix(w));                                            \
  }                                                                                                \
  SCYTHE_DEVICE T __spirv_ocl_remquo(T x, T y, int *quotient) noexcept {                           \
    const W a = static_cast<W>(x), b = static_cast<W>(y);                                          \
    const W rest = __builtin_remainder##suffix(a, b);                                              \
    /* The seven low bits of the quotient: what is left modulo 128 divisors. */                    \
    const W low = __builtin_fmod##suffix(a, W(128) * b);                                           \
    *quotient = __builtin_isfinite(low)                                                            \
                    ? static_cast<int>(__builtin_rint##suffix((low - rest) / b)) % 128             \
                    : 0;                                                                           \
    return static_cast<T>(rest);                                                                   \
  }

SCYTHE_MIXED(float, float, f)
SCYTHE_MIXED(double, double, )
SCYTHE_MIXED(half, float, f)
#undef SCYTHE_MIXED
