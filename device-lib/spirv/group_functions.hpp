// Reductions, scans and broadcasts of groups. They only use features of every driver with
// sub-groups: sub-group arithmetic and shuffles, local memory and barriers. Drivers differ in the
// types and operations of their group functions, so this file calls none of them.
//
// The CPU's functions do the work. Their primitives are SPIR-V instructions here.
#ifndef SCYTHE_DEVICE_LIBRARY_SPIRV_GROUP_FUNCTIONS_HPP
#define SCYTHE_DEVICE_LIBRARY_SPIRV_GROUP_FUNCTIONS_HPP

// The largest work-groups of OpenCL devices have 8192 work-items, in sub-groups of at least four.
#define SCYTHE_MAX_SUB_GROUPS 2048
// Fences and prefetches are instructions.
#define SCYTHE_GROUPS_ONLY
#include "../cpu/group_primitives.hpp"

#define SCYTHE_INSTRUCTION(name, T)                                                                \
  SCYTHE_DEVICE extern T __spirv_GroupNonUniform##name(scythe_u32 scope, scythe_u32 operation,     \
                                                       T x) noexcept;
#define SCYTHE_PRIMITIVES(op, instruction, name, T)                                                \
  SCYTHE_INSTRUCTION(instruction, T)                                                               \
  extern "C" SCYTHE_GROUP T __scythe_sg_reduce_##op##_##name(T x) noexcept {                       \
    return __spirv_GroupNonUniform##instruction(3, 0, x);                                          \
  }                                                                                                \
  extern "C" SCYTHE_GROUP T __scythe_sg_inscan_##op##_##name(T x) noexcept {                       \
    return __spirv_GroupNonUniform##instruction(3, 1, x);                                          \
  }                                                                                                \
  extern "C" SCYTHE_GROUP T __scythe_sg_exscan_##op##_##name(T x) noexcept {                       \
    return __spirv_GroupNonUniform##instruction(3, 2, x);                                          \
  }
#define SCYTHE_BROADCAST(name, T)                                                                  \
  SCYTHE_DEVICE extern T __spirv_GroupNonUniformShuffle(scythe_u32 scope, T x,                     \
                                                        scythe_u32 id) noexcept;                   \
  extern "C" SCYTHE_GROUP T __scythe_sg_broadcast_##name(T x, scythe_u32 id) noexcept {            \
    return __spirv_GroupNonUniformShuffle(3, x, id);                                               \
  }
#define SCYTHE_INTEGER(name, T, S)                                                                 \
  SCYTHE_PRIMITIVES(add, IAdd, name, T)                                                            \
  SCYTHE_PRIMITIVES(mul, IMul, name, T)                                                            \
  SCYTHE_PRIMITIVES(min, S##Min, name, T)                                                          \
  SCYTHE_PRIMITIVES(max, S##Max, name, T)                                                          \
  SCYTHE_PRIMITIVES(and, BitwiseAnd, name, T)                                                      \
  SCYTHE_PRIMITIVES(or, BitwiseOr, name, T)                                                        \
  SCYTHE_PRIMITIVES(xor, BitwiseXor, name, T)                                                      \
  SCYTHE_BROADCAST(name, T)
#define SCYTHE_FLOAT(name, T)                                                                      \
  SCYTHE_PRIMITIVES(add, FAdd, name, T)                                                            \
  SCYTHE_PRIMITIVES(mul, FMul, name, T)                                                            \
  SCYTHE_PRIMITIVES(min, FMin, name, T)                                                            \
  SCYTHE_PRIMITIVES(max, FMax, name, T)                                                            \
  SCYTHE_BROADCAST(name, T)

SCYTHE_INTEGER(s8, signed char, S)
SCYTHE_INTEGER(s16, short, S)
SCYTHE_INTEGER(s32, int, S)
SCYTHE_INTEGER(s64, long, S)
SCYTHE_INTEGER(u8, unsigned char, U)
SCYTHE_INTEGER(u16, unsigned short, U)
SCYTHE_INTEGER(u32, unsigned int, U)
SCYTHE_INTEGER(u64, unsigned long, U)
SCYTHE_FLOAT(f16, half)
SCYTHE_FLOAT(f32, float)
SCYTHE_FLOAT(f64, double)

SCYTHE_DEVICE extern bool __spirv_GroupNonUniformAny(scythe_u32 scope, bool x) noexcept;
SCYTHE_DEVICE extern bool __spirv_GroupNonUniformAll(scythe_u32 scope, bool x) noexcept;
extern "C" SCYTHE_GROUP int __scythe_sg_any(int x) noexcept {
  return __spirv_GroupNonUniformAny(3, x != 0);
}
extern "C" SCYTHE_GROUP int __scythe_sg_all(int x) noexcept {
  return __spirv_GroupNonUniformAll(3, x != 0);
}

#undef SCYTHE_FLOAT
#undef SCYTHE_INTEGER
#undef SCYTHE_BROADCAST
#undef SCYTHE_PRIMITIVES
#undef SCYTHE_INSTRUCTION

#include "../cpu/group_functions.hpp"

#endif
