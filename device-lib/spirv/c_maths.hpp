// The C maths functions that `std::sin` and similar functions call. Each calls the driver's
// function, with the accuracy that OpenCL specifies.
#ifndef SCYTHE_DEVICE_LIBRARY_C_MATHS_HPP
#define SCYTHE_DEVICE_LIBRARY_C_MATHS_HPP

#include "../cpu/device_library.hpp"

#define SCYTHE_DECLARE(T, name, ...)                                                               \
  SCYTHE_DEVICE __attribute__((const)) T __spirv_ocl_##name(__VA_ARGS__) noexcept;
#define SCYTHE_C_1(name)                                                                           \
  SCYTHE_DECLARE(float, name, float)                                                               \
  SCYTHE_DECLARE(double, name, double)                                                             \
  extern "C" SCYTHE_DEVICE float name##f(float x) noexcept { return __spirv_ocl_##name(x); }       \
  extern "C" SCYTHE_DEVICE double name(double x) noexcept { return __spirv_ocl_##name(x); }
#define SCYTHE_C_2(name)                                                                           \
  SCYTHE_DECLARE(float, name, float, float)                                                        \
  SCYTHE_DECLARE(double, name, double, double)                                                     \
  extern "C" SCYTHE_DEVICE float name##f(float x, float y) noexcept {                              \
    return __spirv_ocl_##name(x, y);                                                               \
  }                                                                                                \
  extern "C" SCYTHE_DEVICE double name(double x, double y) noexcept {                              \
    return __spirv_ocl_##name(x, y);                                                               \
  }

SCYTHE_C_1(acos)
SCYTHE_C_1(acosh)
SCYTHE_C_1(asin)
SCYTHE_C_1(asinh)
SCYTHE_C_1(atan)
SCYTHE_C_1(atanh)
SCYTHE_C_1(cbrt)
SCYTHE_C_1(ceil)
SCYTHE_C_1(cos)
SCYTHE_C_1(cosh)
SCYTHE_C_1(erf)
SCYTHE_C_1(erfc)
SCYTHE_C_1(exp)
SCYTHE_C_1(exp10)
SCYTHE_C_1(exp2)
SCYTHE_C_1(expm1)
SCYTHE_C_1(fabs)
SCYTHE_C_1(floor)
SCYTHE_C_1(lgamma)
SCYTHE_C_1(log)
SCYTHE_C_1(log10)
SCYTHE_C_1(log1p)
SCYTHE_C_1(log2)
SCYTHE_C_1(logb)
SCYTHE_C_1(rint)
SCYTHE_C_1(round)
SCYTHE_C_1(sin)
SCYTHE_C_1(sinh)
SCYTHE_C_1(sqrt)
SCYTHE_C_1(tan)
SCYTHE_C_1(tanh)
SCYTHE_C_1(tgamma)
SCYTHE_C_1(trunc)
SCYTHE_C_2(atan2)
SCYTHE_C_2(copysign)
SCYTHE_C_2(fdim)
SCYTHE_C_2(fmax)
SCYTHE_C_2(fmin)
SCYTHE_C_2(fmod)
SCYTHE_C_2(hypot)
SCYTHE_C_2(nextafter)
SCYTHE_C_2(pow)
SCYTHE_C_2(remainder)

SCYTHE_DECLARE(float, fma, float, float, float)
SCYTHE_DECLARE(double, fma, double, double, double)
SCYTHE_DECLARE(float, ldexp, float, int)
SCYTHE_DECLARE(double, ldexp, double, int)
SCYTHE_DECLARE(int, ilogb, float)
SCYTHE_DECLARE(int, ilogb, double)
SCYTHE_DEVICE float __spirv_ocl_frexp(float, int *) noexcept;
SCYTHE_DEVICE double __spirv_ocl_frexp(double, int *) noexcept;
SCYTHE_DEVICE float __spirv_ocl_modf(float, float *) noexcept;
SCYTHE_DEVICE double __spirv_ocl_modf(double, double *) noexcept;
SCYTHE_DEVICE float __spirv_ocl_remquo(float, float, int *) noexcept;
SCYTHE_DEVICE double __spirv_ocl_remquo(double, double, int *) noexcept;
SCYTHE_DEVICE float __spirv_ocl_sincos(float, float *) noexcept;
SCYTHE_DEVICE double __spirv_ocl_sincos(double, double *) noexcept;

extern "C" {

SCYTHE_DEVICE float nearbyintf(float x) noexcept { return __spirv_ocl_rint(x); }
SCYTHE_DEVICE double nearbyint(double x) noexcept { return __spirv_ocl_rint(x); }
SCYTHE_DEVICE float fmaf(float x, float y, float z) noexcept { return __spirv_ocl_fma(x, y, z); }
SCYTHE_DEVICE double fma(double x, double y, double z) noexcept { return __spirv_ocl_fma(x, y, z); }
SCYTHE_DEVICE float ldexpf(float x, int n) noexcept { return __spirv_ocl_ldexp(x, n); }
SCYTHE_DEVICE double ldexp(double x, int n) noexcept { return __spirv_ocl_ldexp(x, n); }
SCYTHE_DEVICE float scalbnf(float x, int n) noexcept { return __spirv_ocl_ldexp(x, n); }
SCYTHE_DEVICE double scalbn(double x, int n) noexcept { return __spirv_ocl_ldexp(x, n); }
SCYTHE_DEVICE int ilogbf(float x) noexcept { return __spirv_ocl_ilogb(x); }
SCYTHE_DEVICE int ilogb(double x) noexcept { return __spirv_ocl_ilogb(x); }
SCYTHE_DEVICE long lrintf(float x) noexcept { return static_cast<long>(__spirv_ocl_rint(x)); }
SCYTHE_DEVICE long lrint(double x) noexcept { return static_cast<long>(__spirv_ocl_rint(x)); }
SCYTHE_DEVICE long llrintf(float x) noexcept { return static_cast<long>(__spirv_ocl_rint(x)); }
SCYTHE_DEVICE long llrint(double x) noexcept { return static_cast<long>(__spirv_ocl_rint(x)); }
SCYTHE_DEVICE long lroundf(float x) noexcept { return static_cast<long>(__spirv_ocl_round(x)); }
SCYTHE_DEVICE long lround(double x) noexcept { return static_cast<long>(__spirv_ocl_round(x)); }
SCYTHE_DEVICE long llroundf(float x) noexcept { return static_cast<long>(__spirv_ocl_round(x)); }
SCYTHE_DEVICE long llround(double x) noexcept { return static_cast<long>(__spirv_ocl_round(x)); }

// Second results are passed through a local variable, because the driver's functions require
// private memory.
#define SCYTHE_C_POINTER(T, name, inner, Second)                                                   \
  SCYTHE_DEVICE T name(T x, Second *second) noexcept {                                             \
    Second value;                                                                                  \
    const T result = __spirv_ocl_##inner(x, &value);                                               \
    *second = value;                                                                               \
    return result;                                                                                 \
  }
SCYTHE_C_POINTER(float, frexpf, frexp, int)
SCYTHE_C_POINTER(double, frexp, frexp, int)
SCYTHE_C_POINTER(float, modff, modf, float)
SCYTHE_C_POINTER(double, modf, modf, double)

SCYTHE_DEVICE float remquof(float x, float y, int *quotient) noexcept {
  int value;
  const float rest = __spirv_ocl_remquo(x, y, &value);
  *quotient = value;
  return rest;
}
SCYTHE_DEVICE double remquo(double x, double y, int *quotient) noexcept {
  int value;
  const double rest = __spirv_ocl_remquo(x, y, &value);
  *quotient = value;
  return rest;
}
SCYTHE_DEVICE void sincosf(float x, float *sine, float *cosine) noexcept {
  float value;
  *sine = __spirv_ocl_sincos(x, &value);
  *cosine = value;
}
SCYTHE_DEVICE void sincos(double x, double *sine, double *cosine) noexcept {
  double value;
  *sine = __spirv_ocl_sincos(x, &value);
  *cosine = value;
}
}

#undef SCYTHE_C_POINTER
#undef SCYTHE_C_2
#undef SCYTHE_C_1
#undef SCYTHE_DECLARE

#endif
