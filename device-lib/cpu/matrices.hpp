// The elements of joint matrices on the CPU, and on devices without instructions for matrices. They
// lie row by row in the memory of the matrix, as numbers of the type in which the device computes.
// Element `n` belongs to work-item `n` modulo the size of the sub-group. The compiler implements
// the operations of the whole sub-group for the CPU, `spirv/matrices.hpp` for other devices.
#ifndef SCYTHE_DEVICE_LIBRARY_MATRICES_HPP
#define SCYTHE_DEVICE_LIBRARY_MATRICES_HPP

#include "group_primitives.hpp"

SCYTHE_DEVICE __attribute__((const)) extern scythe_u32 __spirv_BuiltInSubgroupSize() noexcept;
SCYTHE_DEVICE __attribute__((const)) extern scythe_u32
__spirv_BuiltInSubgroupLocalInvocationId() noexcept;

extern "C" {

SCYTHE_GROUP scythe_u32 __scythe_matrix_first(scythe_u32, scythe_u32, scythe_u32) noexcept {
  return __spirv_BuiltInSubgroupLocalInvocationId();
}
SCYTHE_GROUP scythe_u32 __scythe_matrix_end(scythe_u32, scythe_u32 rows, scythe_u32 cols) noexcept {
  return rows * cols;
}
SCYTHE_GROUP scythe_u32 __scythe_matrix_step(scythe_u32, scythe_u32, scythe_u32) noexcept {
  return __spirv_BuiltInSubgroupSize();
}
SCYTHE_GROUP void __scythe_matrix_together(scythe_u32, scythe_u32, scythe_u32,
                                           scythe_u32) noexcept {}

#define SCYTHE_WORD(name, T)                                                                       \
  SCYTHE_GROUP T __scythe_matrix_get_##name(const void *matrix, scythe_u32 element,                \
                                            scythe_u32) noexcept {                                 \
    return static_cast<const T *>(matrix)[element];                                                \
  }                                                                                                \
  SCYTHE_GROUP void __scythe_matrix_set_##name(void *matrix, scythe_u32 element, T value,          \
                                               scythe_u32) noexcept {                              \
    static_cast<T *>(matrix)[element] = value;                                                     \
  }
SCYTHE_WORD(f32, float)
SCYTHE_WORD(f64, double)
SCYTHE_WORD(s32, int)
#undef SCYTHE_WORD

} // extern "C"

#endif
