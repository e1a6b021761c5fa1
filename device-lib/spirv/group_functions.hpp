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

SCYTHE_DEVICE __attribute__((const)) extern scythe_u32
__spirv_BuiltInSubgroupLocalInvocationId() noexcept;

#define SCYTHE_INSTRUCTION(name, T)                                                                \
  SCYTHE_DEVICE extern T __spirv_GroupNonUniform##name(scythe_u32 scope, scythe_u32 operation,     \
                                                       T x) noexcept;
// Intel's OpenCL runtime for CPUs has sub-groups of one work-item for kernels that it cannot
// vectorize, and its exclusive scan then returns the argument. The first work-item therefore takes
// the identity of the operation from here.
#define SCYTHE_PRIMITIVES(op, instruction, name, T, identity)                                      \
  SCYTHE_INSTRUCTION(instruction, T)                                                               \
  extern "C" SCYTHE_GROUP T __scythe_sg_reduce_##op##_##name(T x) noexcept {                       \
    return __spirv_GroupNonUniform##instruction(3, 0, x);                                          \
  }                                                                                                \
  extern "C" SCYTHE_GROUP T __scythe_sg_inscan_##op##_##name(T x) noexcept {                       \
    return __spirv_GroupNonUniform##instruction(3, 1, x);                                          \
  }                                                                                                \
  extern "C" SCYTHE_GROUP T __scythe_sg_exscan_##op##_##name(T x) noexcept {                       \
    const T before = __spirv_GroupNonUniform##instruction(3, 2, x);                                \
    return __spirv_BuiltInSubgroupLocalInvocationId() == 0 ? static_cast<T>(identity) : before;    \
  }
#define SCYTHE_BROADCAST(name, T)                                                                  \
  SCYTHE_DEVICE extern T __spirv_GroupNonUniformShuffle(scythe_u32 scope, T x,                     \
                                                        scythe_u32 id) noexcept;                   \
  extern "C" SCYTHE_GROUP T __scythe_sg_broadcast_##name(T x, scythe_u32 id) noexcept {            \
    return __spirv_GroupNonUniformShuffle(3, x, id);                                               \
  }
#define SCYTHE_INTEGER(name, T, S, least, most)                                                    \
  SCYTHE_PRIMITIVES(add, IAdd, name, T, 0)                                                         \
  SCYTHE_PRIMITIVES(mul, IMul, name, T, 1)                                                         \
  SCYTHE_PRIMITIVES(min, S##Min, name, T, most)                                                    \
  SCYTHE_PRIMITIVES(max, S##Max, name, T, least)                                                   \
  SCYTHE_PRIMITIVES(and, BitwiseAnd, name, T, ~0ul)                                                \
  SCYTHE_PRIMITIVES(or, BitwiseOr, name, T, 0)                                                     \
  SCYTHE_PRIMITIVES(xor, BitwiseXor, name, T, 0)                                                   \
  SCYTHE_BROADCAST(name, T)
#define SCYTHE_FLOAT(name, T)                                                                      \
  SCYTHE_PRIMITIVES(add, FAdd, name, T, 0)                                                         \
  SCYTHE_PRIMITIVES(mul, FMul, name, T, 1)                                                         \
  SCYTHE_PRIMITIVES(min, FMin, name, T, __builtin_inff())                                          \
  SCYTHE_PRIMITIVES(max, FMax, name, T, -__builtin_inff())                                         \
  SCYTHE_BROADCAST(name, T)

SCYTHE_INTEGER(s8, signed char, S, -128, 127)
SCYTHE_INTEGER(s16, short, S, -32768, 32767)
SCYTHE_INTEGER(s32, int, S, -2147483647 - 1, 2147483647)
SCYTHE_INTEGER(s64, long, S, -9223372036854775807 - 1, 9223372036854775807)
SCYTHE_INTEGER(u8, unsigned char, U, 0, 255)
SCYTHE_INTEGER(u16, unsigned short, U, 0, 65535)
SCYTHE_INTEGER(u32, unsigned int, U, 0, 4294967295)
SCYTHE_INTEGER(u64, unsigned long, U, 0, 18446744073709551615ul)
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
