// The primitives that the compiler provides to this library: lanes of a sub-group, barriers and
// positions. Widening turns `__scythe_sg_…` into vector code. ARCHITECTURE.md lists the names.
#ifndef SCYTHE_DEVICE_LIBRARY_GROUP_PRIMITIVES_HPP
#define SCYTHE_DEVICE_LIBRARY_GROUP_PRIMITIVES_HPP

#include "device_library.hpp"

using scythe_u32 = unsigned int;

// These functions are inlined into the kernel, where the scope is a constant.
#define SCYTHE_GROUP SCYTHE_DEVICE __attribute__((always_inline))

SCYTHE_DEVICE extern void __spirv_ControlBarrier(scythe_u32 execution, scythe_u32 memory,
                                                 scythe_u32 semantics) noexcept;
SCYTHE_DEVICE __attribute__((const)) extern scythe_u32 __spirv_BuiltInNumSubgroups() noexcept;
SCYTHE_DEVICE __attribute__((const)) extern scythe_u32 __spirv_BuiltInSubgroupId() noexcept;
SCYTHE_DEVICE __attribute__((const)) extern __SIZE_TYPE__
__spirv_BuiltInLocalInvocationId(int) noexcept;
SCYTHE_DEVICE __attribute__((const)) extern __SIZE_TYPE__
__spirv_BuiltInWorkgroupSize(int) noexcept;

extern "C" {

#define SCYTHE_FOLDS(op, name, T)                                                                  \
  SCYTHE_DEVICE T __scythe_sg_reduce_##op##_##name(T) noexcept;                                    \
  SCYTHE_DEVICE T __scythe_sg_inscan_##op##_##name(T) noexcept;                                    \
  SCYTHE_DEVICE T __scythe_sg_exscan_##op##_##name(T) noexcept;
#define SCYTHE_MOVES(name, T)                                                                      \
  SCYTHE_DEVICE T __scythe_sg_shuffle_##name(T, scythe_u32) noexcept;                              \
  SCYTHE_DEVICE T __scythe_sg_shuffle_xor_##name(T, scythe_u32) noexcept;                          \
  SCYTHE_DEVICE T __scythe_sg_shuffle_up_##name(T, scythe_u32) noexcept;                           \
  SCYTHE_DEVICE T __scythe_sg_shuffle_down_##name(T, scythe_u32) noexcept;                         \
  SCYTHE_DEVICE T __scythe_sg_broadcast_##name(T, scythe_u32) noexcept;
#define SCYTHE_NUMBER(name, T)                                                                     \
  SCYTHE_FOLDS(add, name, T)                                                                       \
  SCYTHE_FOLDS(mul, name, T)                                                                       \
  SCYTHE_FOLDS(min, name, T)                                                                       \
  SCYTHE_FOLDS(max, name, T)                                                                       \
  SCYTHE_MOVES(name, T)
#define SCYTHE_INTEGER(name, T)                                                                    \
  SCYTHE_NUMBER(name, T)                                                                           \
  SCYTHE_FOLDS(and, name, T)                                                                       \
  SCYTHE_FOLDS(or, name, T)                                                                        \
  SCYTHE_FOLDS(xor, name, T)

SCYTHE_INTEGER(s8, signed char)
SCYTHE_INTEGER(s16, short)
SCYTHE_INTEGER(s32, int)
SCYTHE_INTEGER(s64, long)
SCYTHE_INTEGER(u8, unsigned char)
SCYTHE_INTEGER(u16, unsigned short)
SCYTHE_INTEGER(u32, unsigned int)
SCYTHE_INTEGER(u64, unsigned long)
SCYTHE_NUMBER(f16, half)
SCYTHE_NUMBER(f32, float)
SCYTHE_NUMBER(f64, double)
SCYTHE_DEVICE int __scythe_sg_any(int) noexcept;
SCYTHE_DEVICE int __scythe_sg_all(int) noexcept;

#undef SCYTHE_INTEGER
#undef SCYTHE_NUMBER
#undef SCYTHE_MOVES
#undef SCYTHE_FOLDS

} // extern "C"

namespace scythe_device_library {

constexpr scythe_u32 work_group_scope = 2;

inline void work_group_barrier() {
  // Acquire-release semantics for sub-group, work-group and global memory.
  __spirv_ControlBarrier(work_group_scope, work_group_scope, 0x8 | 0x80 | 0x100 | 0x200);
}

} // namespace scythe_device_library

#endif
