// Groups on NVIDIA GPUs: barriers, fences, sub-group queries, and the primitives of the CPU's group
// functions.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_GROUPS_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_GROUPS_HPP

#include "group_scratch.hpp"
#include "warp.hpp"

namespace scythe_device_library {

// Values of SPIR-V's enumerations.
constexpr scythe_u32 system_scope = 0, device_scope = 1, sub_group_scope = 3, work_item_scope = 4;
constexpr scythe_u32 all_orders = 0x2 | 0x4 | 0x8 | 0x10, sequentially_consistent = 0x10;

// Emits the weakest fence that the scope and the order allow. Before Volta there is only one order.
#define SCYTHE_FENCE(scope_name, membar_name)                                                      \
  if (__nvvm_reflect("__CUDA_ARCH") < 700)                                                         \
    asm volatile("membar." membar_name ";" ::: "memory");                                          \
  else if (semantics & sequentially_consistent)                                                    \
    asm volatile("fence.sc." scope_name ";" ::: "memory");                                         \
  else                                                                                             \
    asm volatile("fence.acq_rel." scope_name ";" ::: "memory");

SCYTHE_WARP void fence(scythe_u32 scope, scythe_u32 semantics) {
  if ((semantics & all_orders) == 0 || scope == work_item_scope)
    return;
  if (scope == system_scope) {
    SCYTHE_FENCE("sys", "sys")
  } else if (scope == device_scope) {
    SCYTHE_FENCE("gpu", "gl")
  } else {
    SCYTHE_FENCE("cta", "cta")
  }
}
#undef SCYTHE_FENCE

} // namespace scythe_device_library

SCYTHE_GROUP void __spirv_MemoryBarrier(scythe_u32 scope, scythe_u32 semantics) noexcept {
  scythe_device_library::fence(scope, semantics);
}

// The hardware's barriers order the memory of the work-group. Wider scopes need fences on both
// sides.
SCYTHE_GROUP void __spirv_ControlBarrier(scythe_u32 execution, scythe_u32 memory,
                                         scythe_u32 semantics) noexcept {
  using namespace scythe_device_library;
  const bool wide = memory < execution;
  if (wide)
    fence(memory, semantics);
  if (execution == work_group_scope)
    __syncthreads();
  else if (execution == sub_group_scope)
    __nvvm_bar_warp_sync(lanes_mask());
  if (wide)
    fence(memory, semantics);
}

#define SCYTHE_QUERY SCYTHE_GROUP __attribute__((const)) scythe_u32
SCYTHE_QUERY __spirv_BuiltInSubgroupSize() noexcept {
  return scythe_device_library::lanes_of_warp();
}
SCYTHE_QUERY __spirv_BuiltInSubgroupMaxSize() noexcept { return scythe_device_library::warp_size; }
SCYTHE_QUERY __spirv_BuiltInNumSubgroups() noexcept {
  return scythe_device_library::warps_of_group();
}
SCYTHE_QUERY __spirv_BuiltInSubgroupId() noexcept {
  return scythe_device_library::linear_id() / scythe_device_library::warp_size;
}
SCYTHE_QUERY __spirv_BuiltInSubgroupLocalInvocationId() noexcept {
  return scythe_device_library::lane();
}
#undef SCYTHE_QUERY

// Reductions of 32-bit integers in one instruction, from Ampere on. LLVM knows them by name.
#define SCYTHE_REDUX(name)                                                                         \
  extern "C" SCYTHE_DEVICE int scythe_redux_##name(int, int) __asm__("llvm.nvvm.redux."            \
                                                                     "sync." #name);
SCYTHE_REDUX(add)
SCYTHE_REDUX(min)
SCYTHE_REDUX(max)
SCYTHE_REDUX(umin)
SCYTHE_REDUX(umax)
SCYTHE_REDUX(and)
SCYTHE_REDUX(or)
SCYTHE_REDUX(xor)
#undef SCYTHE_REDUX

#define SCYTHE_NO_REDUX(name, x)
// A mask that is not a constant costs several instructions.
#define SCYTHE_WITH_REDUX(name, x)                                                                 \
  if (__nvvm_reflect("__CUDA_ARCH") >= 800) {                                                      \
    const int value = static_cast<int>(x);                                                         \
    if (lanes_of_warp() == warp_size) {                                                            \
      [[clang::nomerge]] return scythe_redux_##name(value, static_cast<int>(whole_warp));          \
    }                                                                                              \
    [[clang::nomerge]] return scythe_redux_##name(value, static_cast<int>(lanes_mask()));          \
  }

// `expression` combines `a` and `b`. `identity` is the identity of the operation.
#define SCYTHE_FOLDS(op, name, T, expression, identity, redux, instruction)                        \
  extern "C" SCYTHE_GROUP T __scythe_sg_reduce_##op##_##name(T x) noexcept {                       \
    using namespace scythe_device_library;                                                         \
    redux(instruction, x) return fold_lanes(                                                       \
        x, lanes_of_warp(), [](T a, T b) -> T { return static_cast<T>(expression); });             \
  }                                                                                                \
  /* Combines the values of the first `count` lanes. */                                            \
  extern "C" SCYTHE_GROUP T __scythe_sg_fold_##op##_##name(T x, scythe_u32 count) noexcept {       \
    using namespace scythe_device_library;                                                         \
    redux(instruction, lane() < count ? x : static_cast<T>(identity)) return fold_lanes(           \
        x, count, [](T a, T b) -> T { return static_cast<T>(expression); });                       \
  }                                                                                                \
  extern "C" SCYTHE_GROUP T __scythe_sg_inscan_##op##_##name(T x) noexcept {                       \
    return scythe_device_library::scan_lanes(                                                      \
        x, [](T a, T b) -> T { return static_cast<T>(expression); });                              \
  }                                                                                                \
  extern "C" SCYTHE_GROUP T __scythe_sg_exscan_##op##_##name(T x) noexcept {                       \
    using namespace scythe_device_library;                                                         \
    const T whole = scan_lanes(x, [](T a, T b) -> T { return static_cast<T>(expression); });       \
    const T before = from_lane_before(whole, 1);                                                   \
    return lane() == 0 ? static_cast<T>(identity) : before;                                        \
  }
#define SCYTHE_MOVES(name, T)                                                                      \
  extern "C" SCYTHE_GROUP T __scythe_sg_shuffle_##name(T x, scythe_u32 n) noexcept {               \
    return scythe_device_library::from_lane(x, n);                                                 \
  }                                                                                                \
  extern "C" SCYTHE_GROUP T __scythe_sg_shuffle_xor_##name(T x, scythe_u32 n) noexcept {           \
    return scythe_device_library::from_lane_xor(x, n);                                             \
  }                                                                                                \
  extern "C" SCYTHE_GROUP T __scythe_sg_shuffle_up_##name(T x, scythe_u32 n) noexcept {            \
    return scythe_device_library::from_lane_before(x, n);                                          \
  }                                                                                                \
  extern "C" SCYTHE_GROUP T __scythe_sg_shuffle_down_##name(T x, scythe_u32 n) noexcept {          \
    return scythe_device_library::from_lane_after(x, n);                                           \
  }                                                                                                \
  extern "C" SCYTHE_GROUP T __scythe_sg_broadcast_##name(T x, scythe_u32 n) noexcept {             \
    return scythe_device_library::from_lane(x, n);                                                 \
  }

// Integers wrap on overflow.
#define SCYTHE_INTEGER(name, T, least, most, R, min_name, max_name)                                \
  SCYTHE_FOLDS(add, name, T, static_cast<unsigned long>(a) + b, 0, R, add)                         \
  SCYTHE_FOLDS(mul, name, T, static_cast<unsigned long>(a) * b, 1, SCYTHE_NO_REDUX, )              \
  SCYTHE_FOLDS(min, name, T, b < a ? b : a, most, R, min_name)                                     \
  SCYTHE_FOLDS(max, name, T, a < b ? b : a, least, R, max_name)                                    \
  SCYTHE_FOLDS(and, name, T, a &b, ~0ul, R, and)                                                   \
  SCYTHE_FOLDS(or, name, T, a | b, 0, R, or)                                                       \
  SCYTHE_FOLDS(xor, name, T, a ^ b, 0, R, xor)                                                     \
  SCYTHE_MOVES(name, T)
#define SCYTHE_FLOAT(name, T)                                                                      \
  SCYTHE_FOLDS(add, name, T, a + b, -0.0f, SCYTHE_NO_REDUX, )                                      \
  SCYTHE_FOLDS(mul, name, T, a *b, 1, SCYTHE_NO_REDUX, )                                           \
  SCYTHE_FOLDS(min, name, T, b < a ? b : a, __builtin_inff(), SCYTHE_NO_REDUX, )                   \
  SCYTHE_FOLDS(max, name, T, a < b ? b : a, -__builtin_inff(), SCYTHE_NO_REDUX, )                  \
  SCYTHE_MOVES(name, T)

SCYTHE_INTEGER(s8, signed char, -128, 127, SCYTHE_NO_REDUX, min, max)
SCYTHE_INTEGER(s16, short, -32768, 32767, SCYTHE_NO_REDUX, min, max)
SCYTHE_INTEGER(s32, int, -2147483647 - 1, 2147483647, SCYTHE_WITH_REDUX, min, max)
SCYTHE_INTEGER(s64, long, -9223372036854775807 - 1, 9223372036854775807, SCYTHE_NO_REDUX, min, max)
SCYTHE_INTEGER(u8, unsigned char, 0, 255, SCYTHE_NO_REDUX, umin, umax)
SCYTHE_INTEGER(u16, unsigned short, 0, 65535, SCYTHE_NO_REDUX, umin, umax)
SCYTHE_INTEGER(u32, unsigned int, 0, 4294967295u, SCYTHE_WITH_REDUX, umin, umax)
SCYTHE_INTEGER(u64, unsigned long, 0, 18446744073709551615ul, SCYTHE_NO_REDUX, umin, umax)
SCYTHE_FLOAT(f16, half)
SCYTHE_FLOAT(f32, float)
SCYTHE_FLOAT(f64, double)

extern "C" SCYTHE_GROUP int __scythe_sg_any(int x) noexcept {
  return __nvvm_vote_any_sync(scythe_device_library::lanes_mask(), x != 0);
}
extern "C" SCYTHE_GROUP int __scythe_sg_all(int x) noexcept {
  return __nvvm_vote_all_sync(scythe_device_library::lanes_mask(), x != 0);
}

#undef SCYTHE_FLOAT
#undef SCYTHE_INTEGER
#undef SCYTHE_MOVES
#undef SCYTHE_FOLDS
#undef SCYTHE_WITH_REDUX
#undef SCYTHE_NO_REDUX

// This file defines fences and prefetches. Everything else is the CPU's code.
#define SCYTHE_GROUPS_ONLY
#define SCYTHE_COMBINE(op, name, T, whole, combine)                                                \
  combine_sub_groups(whole, combine, [](T slot, scythe_u32 count) {                                \
    return __scythe_sg_fold_##op##_##name(slot, count);                                            \
  })
#include "../cpu/group_functions.hpp"

#define SCYTHE_SHUFFLES(name, T)                                                                   \
  SCYTHE_GROUP T __spirv_GroupNonUniformShuffle(scythe_u32, T x, scythe_u32 n) noexcept {          \
    return scythe_device_library::from_lane(x, n);                                                 \
  }                                                                                                \
  SCYTHE_GROUP T __spirv_GroupNonUniformShuffleXor(scythe_u32, T x, scythe_u32 n) noexcept {       \
    return scythe_device_library::from_lane_xor(x, n);                                             \
  }                                                                                                \
  SCYTHE_GROUP T __spirv_GroupNonUniformShuffleUp(scythe_u32, T x, scythe_u32 n) noexcept {        \
    return scythe_device_library::from_lane_before(x, n);                                          \
  }                                                                                                \
  SCYTHE_GROUP T __spirv_GroupNonUniformShuffleDown(scythe_u32, T x, scythe_u32 n) noexcept {      \
    return scythe_device_library::from_lane_after(x, n);                                           \
  }
SCYTHE_SHUFFLES(s8, signed char)
SCYTHE_SHUFFLES(s16, short)
SCYTHE_SHUFFLES(s32, int)
SCYTHE_SHUFFLES(s64, long)
SCYTHE_SHUFFLES(u8, unsigned char)
SCYTHE_SHUFFLES(u16, unsigned short)
SCYTHE_SHUFFLES(u32, unsigned int)
SCYTHE_SHUFFLES(u64, unsigned long)
SCYTHE_SHUFFLES(f16, half)
SCYTHE_SHUFFLES(f32, float)
SCYTHE_SHUFFLES(f64, double)
#undef SCYTHE_SHUFFLES

// A prefetch is a hint: one instruction for each cache line.
SCYTHE_DEVICE void __spirv_ocl_prefetch(const __attribute__((opencl_global)) char *first,
                                        __SIZE_TYPE__ bytes) noexcept {
  constexpr __SIZE_TYPE__ cache_line = 128;
  for (__SIZE_TYPE__ at = 0; at < bytes; at += cache_line)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(first + at));
}

#endif
