// CUDA's maths library under its names, and the OpenCL functions that it lacks, for machines
// without CUDA. It uses the CPU's formulas, and simple implementations of the functions that the
// CPU takes from the C library.
#include "../cpu/maths_erf.hpp"
#include "../cpu/maths_exp.hpp"
#include "../cpu/maths_inverse_trig.hpp"
#include "../cpu/maths_log.hpp"
#include "../cpu/maths_native.hpp"
#include "../cpu/maths_number.hpp"
#include "../cpu/maths_power.hpp"
#include "../cpu/maths_trig.hpp"

#include "cuda_maths.hpp"
#include "remainders_gamma.hpp"

using namespace scythe_device_library;

#define SCYTHE_DEFINE_1(name, formula)                                                             \
  SCYTHE_NV float __nv_##name##f(float x) noexcept { return formula(x); }                          \
  SCYTHE_NV double __nv_##name(double x) noexcept { return formula(x); }
#define SCYTHE_DEFINE_2(name, formula)                                                             \
  SCYTHE_NV float __nv_##name##f(float x, float y) noexcept { return formula(x, y); }              \
  SCYTHE_NV double __nv_##name(double x, double y) noexcept { return formula(x, y); }
#define SCYTHE_SAME_1(name) SCYTHE_DEFINE_1(name, name##_of_any)
#define SCYTHE_SAME_2(name) SCYTHE_DEFINE_2(name, name##_of_any)

extern "C" {

SCYTHE_SAME_1(acos)
SCYTHE_SAME_1(acosh)
SCYTHE_SAME_1(asin)
SCYTHE_SAME_1(asinh)
SCYTHE_SAME_1(atan)
SCYTHE_SAME_1(atanh)
SCYTHE_SAME_1(cbrt)
SCYTHE_SAME_1(cos)
SCYTHE_SAME_1(cosh)
SCYTHE_SAME_1(cospi)
SCYTHE_SAME_1(erf)
SCYTHE_SAME_1(erfc)
SCYTHE_SAME_1(exp)
SCYTHE_SAME_1(exp10)
SCYTHE_SAME_1(exp2)
SCYTHE_SAME_1(expm1)
SCYTHE_SAME_1(lgamma)
SCYTHE_SAME_1(log)
SCYTHE_SAME_1(log10)
SCYTHE_SAME_1(log1p)
SCYTHE_SAME_1(log2)
SCYTHE_SAME_1(logb)
SCYTHE_SAME_1(rsqrt)
SCYTHE_SAME_1(sin)
SCYTHE_SAME_1(sinh)
SCYTHE_SAME_1(sinpi)
SCYTHE_SAME_1(tan)
SCYTHE_SAME_1(tanh)
SCYTHE_SAME_1(tgamma)
SCYTHE_SAME_2(atan2)
SCYTHE_SAME_2(fmod)
SCYTHE_SAME_2(hypot)
SCYTHE_SAME_2(nextafter)
SCYTHE_SAME_2(pow)
SCYTHE_SAME_2(remainder)

SCYTHE_NV float __nv_roundf(float x) noexcept { return __builtin_roundf(x); }
SCYTHE_NV double __nv_round(double x) noexcept { return __builtin_round(x); }
SCYTHE_NV float __nv_ldexpf(float x, int n) noexcept { return ldexp_of_any(x, n); }
SCYTHE_NV double __nv_ldexp(double x, int n) noexcept { return ldexp_of_any(x, n); }
SCYTHE_NV float __nv_powif(float x, int n) noexcept { return pown_of_any(x, n); }
SCYTHE_NV double __nv_powi(double x, int n) noexcept { return pown_of_any(x, n); }
SCYTHE_NV int __nv_ilogbf(float x) noexcept { return ilogb_of_any(x); }
SCYTHE_NV int __nv_ilogb(double x) noexcept { return ilogb_of_any(x); }
SCYTHE_NV long long __nv_llrintf(float x) noexcept {
  return static_cast<long long>(__builtin_rintf(x));
}
SCYTHE_NV long long __nv_llrint(double x) noexcept {
  return static_cast<long long>(__builtin_rint(x));
}
SCYTHE_NV long long __nv_llroundf(float x) noexcept {
  return static_cast<long long>(__builtin_roundf(x));
}
SCYTHE_NV long long __nv_llround(double x) noexcept {
  return static_cast<long long>(__builtin_round(x));
}

#define SCYTHE_FAST(name)                                                                          \
  SCYTHE_NV float __nv_fast_##name##f(float x) noexcept {                                          \
    return fast_##name<precision::native>(x);                                                      \
  }
SCYTHE_NV_FOR_EACH_FAST(SCYTHE_FAST)
#undef SCYTHE_FAST
SCYTHE_NV float __nv_fast_powf(float x, float y) noexcept {
  return fast_powr<precision::native>(x, y);
}
SCYTHE_NV float __nv_fast_fdividef(float x, float y) noexcept { return fast_divide(x, y); }

// Functions with a second result. `f` is the suffix of T's functions.
#define SCYTHE_SECOND(T, f)                                                                        \
  SCYTHE_DEVICE T __nv_frexp##f(T x, int *exponent) noexcept {                                     \
    const auto parts = frexp_of_any(x);                                                            \
    *exponent = parts.exponent;                                                                    \
    return parts.fraction;                                                                         \
  }                                                                                                \
  SCYTHE_DEVICE T __nv_modf##f(T x, T *whole) noexcept {                                           \
    *whole = __builtin_trunc##f(x);                                                                \
    return __builtin_copysign##f(__builtin_isinf(x) ? T(0) : x - *whole, x);                       \
  }                                                                                                \
  SCYTHE_DEVICE void __nv_sincos##f(T x, T *sine, T *cosine) noexcept {                            \
    const auto both = sincos_of_any(x);                                                            \
    *sine = both.sine;                                                                             \
    *cosine = both.cosine;                                                                         \
  }
SCYTHE_SECOND(float, f)
SCYTHE_SECOND(double, )
#undef SCYTHE_SECOND
}

// Functions of libclc.
#define SCYTHE_CLC_1(name)                                                                         \
  SCYTHE_NV float name(float x) noexcept { return name##_of_any(x); }                              \
  SCYTHE_NV double name(double x) noexcept { return name##_of_any(x); }
SCYTHE_CLC_1(acospi)
SCYTHE_CLC_1(asinpi)
SCYTHE_CLC_1(atanpi)
SCYTHE_CLC_1(tanpi)
#undef SCYTHE_CLC_1
SCYTHE_NV float atan2pi(float y, float x) noexcept { return atan2pi_of_any(y, x); }
SCYTHE_NV double atan2pi(double y, double x) noexcept { return atan2pi_of_any(y, x); }
SCYTHE_NV float powr(float x, float y) noexcept { return powr_of_any(x, y); }
SCYTHE_NV double powr(double x, double y) noexcept { return powr_of_any(x, y); }
SCYTHE_NV float rootn(float x, int n) noexcept { return rootn_of_any(x, n); }
SCYTHE_NV double rootn(double x, int n) noexcept { return rootn_of_any(x, n); }
