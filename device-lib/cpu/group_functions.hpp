// SPIR-V's group functions for the CPU. Sub-group functions use primitives of the compiler.
// Work-group functions combine the results of sub-groups.
#ifndef SCYTHE_DEVICE_LIBRARY_GROUP_FUNCTIONS_HPP
#define SCYTHE_DEVICE_LIBRARY_GROUP_FUNCTIONS_HPP

#include "group_scratch.hpp"

namespace scythe_device_library {

constexpr scythe_u32 reduce_operation = 0, inclusive_scan_operation = 1;

using size_2 = __SIZE_TYPE__ __attribute__((ext_vector_type(2)));
using size_3 = __SIZE_TYPE__ __attribute__((ext_vector_type(3)));

inline bool is_local_id(__SIZE_TYPE__ x, __SIZE_TYPE__ y, __SIZE_TYPE__ z) {
  return __spirv_BuiltInLocalInvocationId(0) == x && __spirv_BuiltInLocalInvocationId(1) == y &&
         __spirv_BuiltInLocalInvocationId(2) == z;
}

} // namespace scythe_device_library

// Other targets may combine the results of sub-groups with their own functions.
#ifndef SCYTHE_COMBINE
#define SCYTHE_COMBINE(op, name, T, whole, combine) combine_sub_groups(whole, combine)
#endif

// `expression` combines `a` and `b`. Integers wrap on overflow, as in the primitives.
#define SCYTHE_COLLECTIVE(function, op, name, T, expression)                                       \
  SCYTHE_GROUP T __spirv_Group##function(scythe_u32 scope, scythe_u32 operation, T x) noexcept {   \
    using namespace scythe_device_library;                                                         \
    const auto combine = [](T a, T b) -> T { return static_cast<T>(expression); };                 \
    if (scope != work_group_scope) {                                                               \
      if (operation == reduce_operation)                                                           \
        return __scythe_sg_reduce_##op##_##name(x);                                                \
      return operation == inclusive_scan_operation ? __scythe_sg_inscan_##op##_##name(x)           \
                                                   : __scythe_sg_exscan_##op##_##name(x);          \
    }                                                                                              \
    const T whole = __scythe_sg_reduce_##op##_##name(x);                                           \
    if (operation == reduce_operation)                                                             \
      return SCYTHE_COMBINE(op, name, T, whole, combine);                                          \
    if (operation == inclusive_scan_operation)                                                     \
      return scan_sub_groups(__scythe_sg_inscan_##op##_##name(x), whole, combine);                 \
    return scan_sub_groups(__scythe_sg_exscan_##op##_##name(x), whole, combine);                   \
  }

#ifdef SCYTHE_GROUPS_ONLY
#define SCYTHE_SHUFFLES(name, T)
#else
#define SCYTHE_SHUFFLES(name, T)                                                                   \
  SCYTHE_GROUP T __spirv_GroupNonUniformShuffle(scythe_u32, T x, scythe_u32 id) noexcept {         \
    return __scythe_sg_shuffle_##name(x, id);                                                      \
  }                                                                                                \
  SCYTHE_GROUP T __spirv_GroupNonUniformShuffleXor(scythe_u32, T x, scythe_u32 mask) noexcept {    \
    return __scythe_sg_shuffle_xor_##name(x, mask);                                                \
  }                                                                                                \
  SCYTHE_GROUP T __spirv_GroupNonUniformShuffleUp(scythe_u32, T x, scythe_u32 delta) noexcept {    \
    return __scythe_sg_shuffle_up_##name(x, delta);                                                \
  }                                                                                                \
  SCYTHE_GROUP T __spirv_GroupNonUniformShuffleDown(scythe_u32, T x, scythe_u32 delta) noexcept {  \
    return __scythe_sg_shuffle_down_##name(x, delta);                                              \
  }
#endif

#define SCYTHE_EXCHANGES(name, T)                                                                  \
  SCYTHE_GROUP T __spirv_GroupBroadcast(scythe_u32 scope, T x, __SIZE_TYPE__ id) noexcept {        \
    using namespace scythe_device_library;                                                         \
    if (scope != work_group_scope)                                                                 \
      return __scythe_sg_broadcast_##name(x, static_cast<scythe_u32>(id));                         \
    return broadcast_in_group(x, is_local_id(id, 0, 0));                                           \
  }                                                                                                \
  SCYTHE_GROUP T __spirv_GroupBroadcast(scythe_u32, T x,                                           \
                                        scythe_device_library::size_2 id) noexcept {               \
    return scythe_device_library::broadcast_in_group(                                              \
        x, scythe_device_library::is_local_id(id.x, id.y, 0));                                     \
  }                                                                                                \
  SCYTHE_GROUP T __spirv_GroupBroadcast(scythe_u32, T x,                                           \
                                        scythe_device_library::size_3 id) noexcept {               \
    return scythe_device_library::broadcast_in_group(                                              \
        x, scythe_device_library::is_local_id(id.x, id.y, id.z));                                  \
  }                                                                                                \
  SCYTHE_SHUFFLES(name, T)

#define SCYTHE_INTEGER_FUNCTIONS(name, T, S)                                                       \
  SCYTHE_COLLECTIVE(IAdd, add, name, T, static_cast<unsigned long>(a) + b)                         \
  SCYTHE_COLLECTIVE(IMulKHR, mul, name, T, static_cast<unsigned long>(a) * b)                      \
  SCYTHE_COLLECTIVE(S##Min, min, name, T, b < a ? b : a)                                           \
  SCYTHE_COLLECTIVE(S##Max, max, name, T, a < b ? b : a)                                           \
  SCYTHE_COLLECTIVE(BitwiseAndKHR, and, name, T, a &b)                                             \
  SCYTHE_COLLECTIVE(BitwiseOrKHR, or, name, T, a | b)                                              \
  SCYTHE_COLLECTIVE(BitwiseXorKHR, xor, name, T, a ^ b)                                            \
  SCYTHE_EXCHANGES(name, T)
#define SCYTHE_FLOAT_FUNCTIONS(name, T)                                                            \
  SCYTHE_COLLECTIVE(FAdd, add, name, T, a + b)                                                     \
  SCYTHE_COLLECTIVE(FMulKHR, mul, name, T, a *b)                                                   \
  SCYTHE_COLLECTIVE(FMin, min, name, T, b < a ? b : a)                                             \
  SCYTHE_COLLECTIVE(FMax, max, name, T, a < b ? b : a)                                             \
  SCYTHE_EXCHANGES(name, T)

SCYTHE_INTEGER_FUNCTIONS(s8, signed char, S)
SCYTHE_INTEGER_FUNCTIONS(s16, short, S)
SCYTHE_INTEGER_FUNCTIONS(s32, int, S)
SCYTHE_INTEGER_FUNCTIONS(s64, long, S)
SCYTHE_INTEGER_FUNCTIONS(u8, unsigned char, U)
SCYTHE_INTEGER_FUNCTIONS(u16, unsigned short, U)
SCYTHE_INTEGER_FUNCTIONS(u32, unsigned int, U)
SCYTHE_INTEGER_FUNCTIONS(u64, unsigned long, U)
SCYTHE_FLOAT_FUNCTIONS(f16, half)
SCYTHE_FLOAT_FUNCTIONS(f32, float)
SCYTHE_FLOAT_FUNCTIONS(f64, double)

// Boolean values are passed as 0 and 1.
#define SCYTHE_LOGICAL(function, bitwise)                                                          \
  SCYTHE_GROUP bool __spirv_Group##function(scythe_u32 scope, scythe_u32 operation,                \
                                            bool x) noexcept {                                     \
    return (__spirv_Group##bitwise(scope, operation, static_cast<scythe_u32>(x)) & 1) != 0;        \
  }
SCYTHE_LOGICAL(LogicalAndKHR, BitwiseAndKHR)
SCYTHE_LOGICAL(LogicalOrKHR, BitwiseOrKHR)
SCYTHE_LOGICAL(LogicalXorKHR, BitwiseXorKHR)

SCYTHE_GROUP bool __spirv_GroupAll(scythe_u32 scope, bool x) noexcept {
  using namespace scythe_device_library;
  const int of_sub_group = __scythe_sg_all(x);
  if (scope != work_group_scope)
    return of_sub_group != 0;
  return SCYTHE_COMBINE(and, s32, int, of_sub_group, [](int a, int b) { return a & b; }) != 0;
}
SCYTHE_GROUP bool __spirv_GroupAny(scythe_u32 scope, bool x) noexcept {
  using namespace scythe_device_library;
  const int of_sub_group = __scythe_sg_any(x);
  if (scope != work_group_scope)
    return of_sub_group != 0;
  return SCYTHE_COMBINE(or, s32, int, of_sub_group, [](int a, int b) { return a | b; }) != 0;
}

#ifndef SCYTHE_GROUPS_ONLY

// A CPU has one kind of fence between threads for all scopes. The work-items of a group share one
// thread.
SCYTHE_GROUP void __spirv_MemoryBarrier(scythe_u32, scythe_u32 semantics) noexcept {
  constexpr scythe_u32 acquire = 0x2, release = 0x4, acquire_release = 0x8,
                       sequentially_consistent = 0x10;
  if (semantics & sequentially_consistent)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else if ((semantics & acquire_release) || ((semantics & acquire) && (semantics & release)))
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
  else if (semantics & acquire)
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  else if (semantics & release)
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

// A prefetch is a hint and one call per work-item. It is not inlined, because it would only break
// up the kernel's vector code.
SCYTHE_DEVICE __attribute__((noinline)) void
__spirv_ocl_prefetch(const __attribute__((opencl_global)) char *first,
                     __SIZE_TYPE__ bytes) noexcept {
  constexpr __SIZE_TYPE__ cache_line = 64;
  for (__SIZE_TYPE__ at = 0; at < bytes; at += cache_line)
    __builtin_prefetch(first + at);
}

#endif

#undef SCYTHE_LOGICAL
#undef SCYTHE_FLOAT_FUNCTIONS
#undef SCYTHE_INTEGER_FUNCTIONS
#undef SCYTHE_EXCHANGES
#undef SCYTHE_SHUFFLES
#undef SCYTHE_COLLECTIVE
#undef SCYTHE_COMBINE

#endif
