// Maths functions in device code: SPIR-V's extended instructions, `__spirv_ocl_<name>`, which the
// device library or the back end provides. Functions without a pointer are declared free of side
// effects, so that the optimiser can move and fold them.
#ifndef SCYTHE_DETAIL_BUILTINS_DEVICE_HPP
#define SCYTHE_DETAIL_BUILTINS_DEVICE_HPP

#include <sycl/detail/builtins_names.hpp>
#include <sycl/detail/config.hpp>

#define SCYTHE_PURE SCYTHE_DEVICE_LIBRARY __attribute__((const)) extern
#define SCYTHE_WRITING SCYTHE_DEVICE_LIBRARY extern

// One declaration for each type.
#define SCYTHE_DECLARE_1(name)                                                                     \
  SCYTHE_PURE float __spirv_ocl_##name(float) noexcept;                                            \
  SCYTHE_PURE double __spirv_ocl_##name(double) noexcept;                                          \
  SCYTHE_PURE _Float16 __spirv_ocl_##name(_Float16) noexcept;
#define SCYTHE_DECLARE_2(name)                                                                     \
  SCYTHE_PURE float __spirv_ocl_##name(float, float) noexcept;                                     \
  SCYTHE_PURE double __spirv_ocl_##name(double, double) noexcept;                                  \
  SCYTHE_PURE _Float16 __spirv_ocl_##name(_Float16, _Float16) noexcept;
#define SCYTHE_DECLARE_INT(name)                                                                   \
  SCYTHE_PURE float __spirv_ocl_##name(float, int) noexcept;                                       \
  SCYTHE_PURE double __spirv_ocl_##name(double, int) noexcept;                                     \
  SCYTHE_PURE _Float16 __spirv_ocl_##name(_Float16, int) noexcept;
#define SCYTHE_DECLARE_POINTER(name)                                                               \
  SCYTHE_WRITING float __spirv_ocl_##name(float, float *) noexcept;                                \
  SCYTHE_WRITING double __spirv_ocl_##name(double, double *) noexcept;                             \
  SCYTHE_WRITING _Float16 __spirv_ocl_##name(_Float16, _Float16 *) noexcept;
#define SCYTHE_DECLARE_INT_POINTER(name)                                                           \
  SCYTHE_WRITING float __spirv_ocl_##name(float, int *) noexcept;                                  \
  SCYTHE_WRITING double __spirv_ocl_##name(double, int *) noexcept;                                \
  SCYTHE_WRITING _Float16 __spirv_ocl_##name(_Float16, int *) noexcept;
#define SCYTHE_DECLARE_RELAXED_1(name)                                                             \
  SCYTHE_PURE float __spirv_ocl_native_##name(float) noexcept;                                     \
  SCYTHE_PURE float __spirv_ocl_half_##name(float) noexcept;
#define SCYTHE_DECLARE_RELAXED_2(name)                                                             \
  SCYTHE_PURE float __spirv_ocl_native_##name(float, float) noexcept;                              \
  SCYTHE_PURE float __spirv_ocl_half_##name(float, float) noexcept;

SCYTHE_FOR_EACH_MATHS_1(SCYTHE_DECLARE_1)
SCYTHE_FOR_EACH_MATHS_2(SCYTHE_DECLARE_2)
SCYTHE_DECLARE_2(nextafter)
SCYTHE_FOR_EACH_MATHS_INT(SCYTHE_DECLARE_INT)
SCYTHE_FOR_EACH_MATHS_POINTER(SCYTHE_DECLARE_POINTER)
SCYTHE_DECLARE_POINTER(fract)
SCYTHE_FOR_EACH_MATHS_INT_POINTER(SCYTHE_DECLARE_INT_POINTER)
SCYTHE_FOR_EACH_RELAXED_1(SCYTHE_DECLARE_RELAXED_1)
SCYTHE_FOR_EACH_RELAXED_2(SCYTHE_DECLARE_RELAXED_2)

SCYTHE_PURE float __spirv_ocl_fma(float, float, float) noexcept;
SCYTHE_PURE double __spirv_ocl_fma(double, double, double) noexcept;
SCYTHE_PURE _Float16 __spirv_ocl_fma(_Float16, _Float16, _Float16) noexcept;
SCYTHE_PURE float __spirv_ocl_mad(float, float, float) noexcept;
SCYTHE_PURE double __spirv_ocl_mad(double, double, double) noexcept;
SCYTHE_PURE _Float16 __spirv_ocl_mad(_Float16, _Float16, _Float16) noexcept;
SCYTHE_PURE int __spirv_ocl_ilogb(float) noexcept;
SCYTHE_PURE int __spirv_ocl_ilogb(double) noexcept;
SCYTHE_PURE int __spirv_ocl_ilogb(_Float16) noexcept;
SCYTHE_WRITING float __spirv_ocl_remquo(float, float, int *) noexcept;
SCYTHE_WRITING double __spirv_ocl_remquo(double, double, int *) noexcept;
SCYTHE_WRITING _Float16 __spirv_ocl_remquo(_Float16, _Float16, int *) noexcept;

#undef SCYTHE_DECLARE_1
#undef SCYTHE_DECLARE_2
#undef SCYTHE_DECLARE_INT
#undef SCYTHE_DECLARE_POINTER
#undef SCYTHE_DECLARE_INT_POINTER
#undef SCYTHE_DECLARE_RELAXED_1
#undef SCYTHE_DECLARE_RELAXED_2
#undef SCYTHE_PURE
#undef SCYTHE_WRITING

#include <sycl/detail/builtins_names_end.hpp>

#endif
