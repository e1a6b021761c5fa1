// Exchange between the members of a part of a sub-group, on devices whose sub-groups run in
// lockstep: the lanes that call a function together. Masks of members are not needed.
#ifndef SCYTHE_DEVICE_LIBRARY_PARTS_OF_SUB_GROUPS_HPP
#define SCYTHE_DEVICE_LIBRARY_PARTS_OF_SUB_GROUPS_HPP

#include "group_functions.hpp"

using scythe_members = unsigned long;

SCYTHE_DEVICE __attribute__((const)) extern scythe_u32
__spirv_BuiltInSubgroupLocalInvocationId() noexcept;

// Returns the members for which `x` holds.
SCYTHE_GROUP scythe_members __scythe_part_votes(scythe_members members, bool x) noexcept {
  const scythe_u32 self = __spirv_BuiltInSubgroupLocalInvocationId();
  return __scythe_sg_reduce_or_u64(x ? 1ul << self : 0ul) & members;
}

// Returns the lanes that reach the same call.
SCYTHE_GROUP scythe_members __scythe_part_reached() noexcept {
  return __scythe_part_votes(~0ul, true);
}

SCYTHE_GROUP void __scythe_part_barrier(scythe_members) noexcept {}

#define SCYTHE_SHUFFLES(T)                                                                         \
  SCYTHE_GROUP T __scythe_part_shuffle(scythe_members, T x, scythe_u32 lane) noexcept {            \
    return __spirv_GroupNonUniformShuffle(3, x, lane);                                             \
  }
SCYTHE_SHUFFLES(signed char)
SCYTHE_SHUFFLES(short)
SCYTHE_SHUFFLES(int)
SCYTHE_SHUFFLES(long)
SCYTHE_SHUFFLES(unsigned char)
SCYTHE_SHUFFLES(unsigned short)
SCYTHE_SHUFFLES(unsigned int)
SCYTHE_SHUFFLES(unsigned long)
SCYTHE_SHUFFLES(half)
SCYTHE_SHUFFLES(float)
SCYTHE_SHUFFLES(double)
#undef SCYTHE_SHUFFLES

#endif
