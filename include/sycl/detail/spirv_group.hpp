// SPIR-V's group functions, which device code calls by name with C++ mangling.
//
// `device-lib/cpu/group_*.hpp` defines them for the CPU. Scopes, semantics and group operations
// have SPIR-V's numbers.
#ifndef SCYTHE_DETAIL_SPIRV_GROUP_HPP
#define SCYTHE_DETAIL_SPIRV_GROUP_HPP

#include <sycl/detail/config.hpp>
#include <sycl/memory_enums.hpp>

#include <cstdint>

namespace sycl::detail::spirv {

inline constexpr std::uint32_t scope_device = 1, scope_work_group = 2, scope_sub_group = 3;
enum group_operation : std::uint32_t { reduce = 0, inclusive_scan = 1, exclusive_scan = 2 };

constexpr std::uint32_t scope(memory_scope s) {
  switch (s) {
  case memory_scope::work_item:
    return 4;
  case memory_scope::sub_group:
    return 3;
  case memory_scope::work_group:
    return 2;
  case memory_scope::device:
  case memory_scope::ext_codeplay_cuda_cluster_group:
    return 1;
  case memory_scope::system:
    break;
  }
  return 0;
}

// The semantics cover all memory. Only private variables of other work-items are invisible to a
// work-item.
constexpr std::uint32_t semantics(memory_order order) {
  constexpr std::uint32_t sub_group_memory = 0x80, work_group_memory = 0x100,
                          cross_work_group_memory = 0x200;
  constexpr std::uint32_t memory = sub_group_memory | work_group_memory | cross_work_group_memory;
  switch (order) {
  case memory_order::relaxed:
    return 0;
  case memory_order::acquire:
    return 0x2 | memory;
  case memory_order::release:
    return 0x4 | memory;
  case memory_order::acq_rel:
    return 0x8 | memory;
  case memory_order::seq_cst:
    break;
  }
  return 0x10 | memory;
}

} // namespace sycl::detail::spirv

#ifdef SCYTHE_DEVICE_PASS

// These functions must not move into or out of control flow. clang makes every function in device
// code convergent.
#define SCYTHE_GROUP_FUNCTION SCYTHE_DEVICE_LIBRARY extern
SCYTHE_GROUP_FUNCTION void __spirv_ControlBarrier(std::uint32_t execution, std::uint32_t memory,
                                                  std::uint32_t semantics) noexcept;
SCYTHE_GROUP_FUNCTION void __spirv_MemoryBarrier(std::uint32_t scope,
                                                 std::uint32_t semantics) noexcept;

#define SCYTHE_SUB_GROUP_QUERY(name)                                                               \
  SCYTHE_DEVICE_LIBRARY __attribute__((const)) extern std::uint32_t __spirv_BuiltIn##name() noexcept
SCYTHE_SUB_GROUP_QUERY(SubgroupSize);
SCYTHE_SUB_GROUP_QUERY(SubgroupMaxSize);
SCYTHE_SUB_GROUP_QUERY(NumSubgroups);
SCYTHE_SUB_GROUP_QUERY(SubgroupId);
SCYTHE_SUB_GROUP_QUERY(SubgroupLocalInvocationId);
#undef SCYTHE_SUB_GROUP_QUERY

using scythe_size_2 = __SIZE_TYPE__ __attribute__((ext_vector_type(2)));
using scythe_size_3 = __SIZE_TYPE__ __attribute__((ext_vector_type(3)));

#define SCYTHE_COLLECTIVE(name, T)                                                                 \
  SCYTHE_GROUP_FUNCTION T __spirv_Group##name(std::uint32_t scope, std::uint32_t operation,        \
                                              T x) noexcept;
#define SCYTHE_EXCHANGES(T)                                                                        \
  SCYTHE_GROUP_FUNCTION T __spirv_GroupBroadcast(std::uint32_t scope, T x,                         \
                                                 __SIZE_TYPE__ id) noexcept;                       \
  SCYTHE_GROUP_FUNCTION T __spirv_GroupBroadcast(std::uint32_t scope, T x,                         \
                                                 scythe_size_2 id) noexcept;                       \
  SCYTHE_GROUP_FUNCTION T __spirv_GroupBroadcast(std::uint32_t scope, T x,                         \
                                                 scythe_size_3 id) noexcept;                       \
  SCYTHE_GROUP_FUNCTION T __spirv_GroupNonUniformShuffle(std::uint32_t scope, T x,                 \
                                                         std::uint32_t id) noexcept;               \
  SCYTHE_GROUP_FUNCTION T __spirv_GroupNonUniformShuffleXor(std::uint32_t scope, T x,              \
                                                            std::uint32_t mask) noexcept;          \
  SCYTHE_GROUP_FUNCTION T __spirv_GroupNonUniformShuffleUp(std::uint32_t scope, T x,               \
                                                           std::uint32_t delta) noexcept;          \
  SCYTHE_GROUP_FUNCTION T __spirv_GroupNonUniformShuffleDown(std::uint32_t scope, T x,             \
                                                             std::uint32_t delta) noexcept;
#define SCYTHE_INTEGER_COLLECTIVES(T, S)                                                           \
  SCYTHE_COLLECTIVE(IAdd, T)                                                                       \
  SCYTHE_COLLECTIVE(IMulKHR, T)                                                                    \
  SCYTHE_COLLECTIVE(S##Min, T)                                                                     \
  SCYTHE_COLLECTIVE(S##Max, T)                                                                     \
  SCYTHE_COLLECTIVE(BitwiseAndKHR, T)                                                              \
  SCYTHE_COLLECTIVE(BitwiseOrKHR, T)                                                               \
  SCYTHE_COLLECTIVE(BitwiseXorKHR, T)                                                              \
  SCYTHE_EXCHANGES(T)
#define SCYTHE_FLOAT_COLLECTIVES(T)                                                                \
  SCYTHE_COLLECTIVE(FAdd, T)                                                                       \
  SCYTHE_COLLECTIVE(FMulKHR, T)                                                                    \
  SCYTHE_COLLECTIVE(FMin, T)                                                                       \
  SCYTHE_COLLECTIVE(FMax, T)                                                                       \
  SCYTHE_EXCHANGES(T)

SCYTHE_INTEGER_COLLECTIVES(signed char, S)
SCYTHE_INTEGER_COLLECTIVES(short, S)
SCYTHE_INTEGER_COLLECTIVES(int, S)
SCYTHE_INTEGER_COLLECTIVES(long, S)
SCYTHE_INTEGER_COLLECTIVES(unsigned char, U)
SCYTHE_INTEGER_COLLECTIVES(unsigned short, U)
SCYTHE_INTEGER_COLLECTIVES(unsigned int, U)
SCYTHE_INTEGER_COLLECTIVES(unsigned long, U)
SCYTHE_FLOAT_COLLECTIVES(_Float16)
SCYTHE_FLOAT_COLLECTIVES(float)
SCYTHE_FLOAT_COLLECTIVES(double)
SCYTHE_COLLECTIVE(LogicalAndKHR, bool)
SCYTHE_COLLECTIVE(LogicalOrKHR, bool)
SCYTHE_COLLECTIVE(LogicalXorKHR, bool)
SCYTHE_GROUP_FUNCTION bool __spirv_GroupAll(std::uint32_t scope, bool x) noexcept;
SCYTHE_GROUP_FUNCTION bool __spirv_GroupAny(std::uint32_t scope, bool x) noexcept;

#undef SCYTHE_FLOAT_COLLECTIVES
#undef SCYTHE_INTEGER_COLLECTIVES
#undef SCYTHE_EXCHANGES
#undef SCYTHE_COLLECTIVE
#undef SCYTHE_GROUP_FUNCTION

#endif

#endif
