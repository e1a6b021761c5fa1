// The maths functions of the SYCL headers, `__spirv_ocl_<name>`, for float, double and half. They
// call CUDA's functions, libclc's functions where CUDA has none, and instructions where one exists.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_MATHS_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_MATHS_HPP

#include "../cpu/maths_entries.hpp"
#include "../cpu/maths_number.hpp"
#include "cuda_maths.hpp"
#include "remainders_gamma.hpp"

#define SCYTHE_CUDA_1(name) SCYTHE_OF_1(name, __nv_##name##f, __nv_##name)
SCYTHE_FOR_EACH_CUDA_MATHS_1(SCYTHE_CUDA_1)
#undef SCYTHE_CUDA_1

#define SCYTHE_BUILTIN_1(name) SCYTHE_OF_1(name, __builtin_##name##f, __builtin_##name)
SCYTHE_BUILTIN_1(ceil)
SCYTHE_BUILTIN_1(fabs)
SCYTHE_BUILTIN_1(floor)
SCYTHE_BUILTIN_1(rint)
SCYTHE_BUILTIN_1(sqrt)
SCYTHE_BUILTIN_1(trunc)
#undef SCYTHE_BUILTIN_1

#define SCYTHE_CUDA_2(name) SCYTHE_OF_2(name, __nv_##name##f, __nv_##name)
SCYTHE_CUDA_2(atan2)
SCYTHE_CUDA_2(fmod)
SCYTHE_CUDA_2(hypot)
SCYTHE_CUDA_2(pow)
SCYTHE_CUDA_2(remainder)
#undef SCYTHE_CUDA_2
SCYTHE_OF_2(copysign, __builtin_copysignf, __builtin_copysign)
SCYTHE_OF_2(fdim, scythe_device_library::fdim_of_any, scythe_device_library::fdim_of_any)
SCYTHE_OF_2(fmax, __builtin_fmaxf, __builtin_fmax)
SCYTHE_OF_2(fmin, __builtin_fminf, __builtin_fmin)
SCYTHE_OF_2(fmax_common, __builtin_fmaxf, __builtin_fmax)
SCYTHE_OF_2(fmin_common, __builtin_fminf, __builtin_fmin)
// GPUs since sm_53 multiply and add numbers of half with one rounding, two pairs at a time.
#define SCYTHE_FUSED(T, name, function)                                                            \
  SCYTHE_MATHS T __spirv_ocl_##name(T x, T y, T z) noexcept { return function(x, y, z); }
#define SCYTHE_FUSED_OF_ALL(name)                                                                  \
  SCYTHE_FUSED(float, name, __builtin_fmaf)                                                        \
  SCYTHE_FUSED(double, name, __builtin_fma)                                                        \
  SCYTHE_FUSED(half, name, __builtin_fmaf16)
SCYTHE_FUSED_OF_ALL(fma)
SCYTHE_FUSED_OF_ALL(mad)
#undef SCYTHE_FUSED
#undef SCYTHE_FUSED_OF_ALL

// OpenCL functions without a counterpart in CUDA, under libclc's names.
#define SCYTHE_CLC_1(name)                                                                         \
  SCYTHE_NV float name(float) noexcept;                                                            \
  SCYTHE_NV double name(double) noexcept;                                                          \
  SCYTHE_OF_1(name, name, name)
#define SCYTHE_CLC_2(name)                                                                         \
  SCYTHE_NV float name(float, float) noexcept;                                                     \
  SCYTHE_NV double name(double, double) noexcept;                                                  \
  SCYTHE_OF_2(name, name, name)
SCYTHE_CLC_1(acospi)
SCYTHE_CLC_1(asinpi)
SCYTHE_CLC_1(atanpi)
SCYTHE_CLC_1(tanpi)
SCYTHE_CLC_2(atan2pi)
SCYTHE_CLC_2(powr)
#undef SCYTHE_CLC_1
#undef SCYTHE_CLC_2
SCYTHE_NV float rootn(float, int) noexcept;
SCYTHE_NV double rootn(double, int) noexcept;

// Functions that are plain arithmetic.
#define SCYTHE_FORMULA_1(name)                                                                     \
  SCYTHE_OF_1(name, scythe_device_library::name##_of_any, scythe_device_library::name##_of_any)
#define SCYTHE_FORMULA_2(name)                                                                     \
  SCYTHE_OF_2(name, scythe_device_library::name##_of_any, scythe_device_library::name##_of_any)
#define SCYTHE_FORMULA_3(name)                                                                     \
  SCYTHE_OF_3(name, scythe_device_library::name##_of_any, scythe_device_library::name##_of_any)
SCYTHE_FORMULA_1(degrees)
SCYTHE_FORMULA_1(radians)
SCYTHE_FORMULA_1(sign)
SCYTHE_FORMULA_2(maxmag)
SCYTHE_FORMULA_2(minmag)
SCYTHE_FORMULA_2(step)
SCYTHE_OF_3(fclamp, scythe_device_library::clamp_of_any, scythe_device_library::clamp_of_any)
SCYTHE_FORMULA_3(mix)
SCYTHE_FORMULA_3(smoothstep)
#undef SCYTHE_FORMULA_1
#undef SCYTHE_FORMULA_2
#undef SCYTHE_FORMULA_3

SCYTHE_MATHS float __spirv_ocl_nextafter(float x, float y) noexcept {
  return __nv_nextafterf(x, y);
}
SCYTHE_MATHS double __spirv_ocl_nextafter(double x, double y) noexcept {
  return __nv_nextafter(x, y);
}

// Approximations. Both kinds use CUDA's functions, which are accurate to at least 11 bits in their
// usual range.
#define SCYTHE_RELAXED_1(kind, name, function)                                                     \
  SCYTHE_MATHS float __spirv_ocl_##kind##_##name(float x) noexcept { return function(x); }
#define SCYTHE_RELAXED(kind)                                                                       \
  SCYTHE_RELAXED_1(kind, exp, __nv_fast_expf)                                                      \
  SCYTHE_RELAXED_1(kind, exp10, __nv_fast_exp10f)                                                  \
  SCYTHE_RELAXED_1(kind, exp2, __nv_exp2f)                                                         \
  SCYTHE_RELAXED_1(kind, log, __nv_fast_logf)                                                      \
  SCYTHE_RELAXED_1(kind, log10, __nv_fast_log10f)                                                  \
  SCYTHE_RELAXED_1(kind, log2, __nv_fast_log2f)                                                    \
  SCYTHE_RELAXED_1(kind, rsqrt, __nvvm_rsqrt_approx_f)                                             \
  SCYTHE_RELAXED_1(kind, sqrt, __nvvm_sqrt_approx_f)                                               \
  SCYTHE_MATHS float __spirv_ocl_##kind##_powr(float x, float y) noexcept {                        \
    return __nv_fast_powf(x, y);                                                                   \
  }
SCYTHE_RELAXED(native)
SCYTHE_RELAXED(half)
SCYTHE_RELAXED_1(native, cos, __nv_fast_cosf)
SCYTHE_RELAXED_1(native, sin, __nv_fast_sinf)
SCYTHE_RELAXED_1(native, tan, __nv_fast_tanf)
// CUDA's fast quotient is 0 where the divisor exceeds 2^126. `half_precision` covers all divisors.
SCYTHE_MATHS float __spirv_ocl_native_divide(float x, float y) noexcept {
  return __nv_fast_fdividef(x, y);
}
SCYTHE_MATHS float __spirv_ocl_native_recip(float x) noexcept { return __nvvm_rcp_approx_ftz_f(x); }
SCYTHE_MATHS float __spirv_ocl_half_divide(float x, float y) noexcept { return x / y; }
SCYTHE_RELAXED_1(half, recip, __nvvm_rcp_rn_f)
// CUDA's fast functions are inaccurate for large arguments.
SCYTHE_RELAXED_1(half, cos, __nv_cosf)
SCYTHE_RELAXED_1(half, sin, __nv_sinf)
SCYTHE_RELAXED_1(half, tan, __nv_tanf)
#undef SCYTHE_RELAXED
#undef SCYTHE_RELAXED_1

// CUDA's powi is not accurate enough, because it rounds each of its repeated multiplications.
namespace scythe_device_library {
inline double whole_power(double x, int n) { return __nv_pow(x, n); }
// Powers are computed without branches, which cost more than a few operations.
inline float whole_power(float x, int n) {
  const float size = __builtin_fabsf(x), rounded = static_cast<float>(n);
  // What the conversion loses from exponents above 2^24 is a factor close to 1. With such exponents
  // all powers of numbers that differ from 1 by more than 2^-16 are 0 or infinite.
  const int lost = static_cast<int>(n - static_cast<long>(rounded));
  const float above = size - 1.0f;
  const bool matters = lost != 0 && __builtin_fabsf(above) < 0x1p-16f;
  const float logarithm = matters ? lost * (above - 0.5f * above * above) : 0.0f;
  const float power =
      __nv_powf(size, rounded) * (1.0f + (logarithm + 0.5f * logarithm * logarithm));
  return n & 1 ? __builtin_copysignf(power, x) : power;
}
} // namespace scythe_device_library

// Functions that take integers or return a second result through a pointer. `T` is the type, `W` is
// the type of the computation, and `f` is the suffix of W's functions.
#define SCYTHE_MIXED(T, W, f)                                                                      \
  SCYTHE_MATHS T __spirv_ocl_ldexp(T x, int n) noexcept {                                          \
    return static_cast<T>(__nv_ldexp##f(static_cast<W>(x), n));                                    \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_pown(T x, int n) noexcept {                                           \
    return static_cast<T>(scythe_device_library::whole_power(static_cast<W>(x), n));               \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_rootn(T x, int n) noexcept {                                          \
    return static_cast<T>(rootn(static_cast<W>(x), n));                                            \
  }                                                                                                \
  SCYTHE_MATHS int __spirv_ocl_ilogb(T x) noexcept { return __nv_ilogb##f(static_cast<W>(x)); }    \
  SCYTHE_MATHS T __spirv_ocl_fract(T x, T *whole) noexcept {                                       \
    const auto parts = scythe_device_library::fract_of_any(static_cast<W>(x));                     \
    *whole = static_cast<T>(parts.whole);                                                          \
    return static_cast<T>(parts.rest);                                                             \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_frexp(T x, int *exponent) noexcept {                                  \
    return static_cast<T>(__nv_frexp##f(static_cast<W>(x), exponent));                             \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_modf(T x, T *whole) noexcept {                                        \
    W w;                                                                                           \
    const W rest = __nv_modf##f(static_cast<W>(x), &w);                                            \
    *whole = static_cast<T>(w);                                                                    \
    return static_cast<T>(rest);                                                                   \
  }                                                                                                \
  SCYTHE_MATHS T __spirv_ocl_sincos(T x, T *cosine) noexcept {                                     \
    W s, c;                                                                                        \
    __nv_sincos##f(static_cast<W>(x), &s, &c);                                                     \
    *cosine = static_cast<T>(c);                                                                   \
    return static_cast<T>(s);                                                                      \
  }                                                                                                \
  SCYTHE_DEVICE T __spirv_ocl_lgamma_r(T x, int *sign) noexcept {                                  \
    const W w = static_cast<W>(x);                                                                 \
    /* Gamma is negative between -1 and 0, -3 and -2, and so on. */                                \
    const W whole = __builtin_floor##f(w);                                                         \
    *sign = w < W(0) && whole != w && __nv_fmod##f(whole, W(2)) != W(0) ? -1 : 1;                  \
    return static_cast<T>(__nv_lgamma##f(w));                                                      \
  }                                                                                                \
  SCYTHE_DEVICE T __spirv_ocl_remquo(T x, T y, int *quotient) noexcept {                           \
    return static_cast<T>(                                                                         \
        scythe_device_library::remquo_of_any(static_cast<W>(x), static_cast<W>(y), *quotient));    \
  }

SCYTHE_MIXED(float, float, f)
SCYTHE_MIXED(double, double, )
SCYTHE_MIXED(half, float, f)
#undef SCYTHE_MIXED

#endif
