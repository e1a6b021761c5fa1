// Declarations of the CUDA maths functions that this library calls, such as `__nv_sinf` and
// `__nv_sin`. `libdevice` defines them. If CUDA is not installed, `own_maths.cpp` defines them.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_CUDA_MATHS_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_CUDA_MATHS_HPP

#include "../../include/sycl/detail/builtins_names.hpp"
#include "../cpu/device_library.hpp"

// `X(name)` for each function of two numbers, and of a number and an integer. The SYCL headers list
// the functions of one number: `SCYTHE_FOR_EACH_CUDA_MATHS_1`.
#define SCYTHE_NV_FOR_EACH_2(X)                                                                    \
  X(atan2)                                                                                         \
  X(fmod)                                                                                          \
  X(hypot)                                                                                         \
  X(nextafter)                                                                                     \
  X(pow)                                                                                           \
  X(remainder)

#define SCYTHE_NV_FOR_EACH_INT(X)                                                                  \
  X(ldexp)                                                                                         \
  X(powi)

// Approximations, which exist in single precision only.
#define SCYTHE_NV_FOR_EACH_FAST(X)                                                                 \
  X(cos)                                                                                           \
  X(exp)                                                                                           \
  X(exp10)                                                                                         \
  X(log)                                                                                           \
  X(log10)                                                                                         \
  X(log2)                                                                                          \
  X(sin)                                                                                           \
  X(tan)

#define SCYTHE_NV SCYTHE_DEVICE __attribute__((const))
#define SCYTHE_DECLARE_1(name)                                                                     \
  SCYTHE_NV float __nv_##name##f(float) noexcept;                                                  \
  SCYTHE_NV double __nv_##name(double) noexcept;
#define SCYTHE_DECLARE_2(name)                                                                     \
  SCYTHE_NV float __nv_##name##f(float, float) noexcept;                                           \
  SCYTHE_NV double __nv_##name(double, double) noexcept;
#define SCYTHE_DECLARE_INT(name)                                                                   \
  SCYTHE_NV float __nv_##name##f(float, int) noexcept;                                             \
  SCYTHE_NV double __nv_##name(double, int) noexcept;
#define SCYTHE_DECLARE_FAST(name) SCYTHE_NV float __nv_fast_##name##f(float) noexcept;

extern "C" {
SCYTHE_FOR_EACH_CUDA_MATHS_1(SCYTHE_DECLARE_1)
SCYTHE_NV_FOR_EACH_2(SCYTHE_DECLARE_2)
SCYTHE_NV_FOR_EACH_INT(SCYTHE_DECLARE_INT)
SCYTHE_NV_FOR_EACH_FAST(SCYTHE_DECLARE_FAST)
SCYTHE_NV float __nv_fast_powf(float, float) noexcept;
SCYTHE_NV float __nv_fast_fdividef(float, float) noexcept;
SCYTHE_NV int __nv_ilogbf(float) noexcept;
SCYTHE_NV int __nv_ilogb(double) noexcept;
SCYTHE_NV long long __nv_llrintf(float) noexcept;
SCYTHE_NV long long __nv_llrint(double) noexcept;
SCYTHE_NV long long __nv_llroundf(float) noexcept;
SCYTHE_NV long long __nv_llround(double) noexcept;
SCYTHE_DEVICE float __nv_frexpf(float, int *) noexcept;
SCYTHE_DEVICE double __nv_frexp(double, int *) noexcept;
SCYTHE_DEVICE float __nv_modff(float, float *) noexcept;
SCYTHE_DEVICE double __nv_modf(double, double *) noexcept;
SCYTHE_DEVICE void __nv_sincosf(float, float *, float *) noexcept;
SCYTHE_DEVICE void __nv_sincos(double, double *, double *) noexcept;
}

#undef SCYTHE_DECLARE_1
#undef SCYTHE_DECLARE_2
#undef SCYTHE_DECLARE_INT
#undef SCYTHE_DECLARE_FAST

#endif
