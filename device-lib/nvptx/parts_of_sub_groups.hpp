// Exchange between the members of a part of a warp. Work-items of a warp may be at different places
// in the code, so every operation names the members that take part: it waits for them.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_PARTS_OF_SUB_GROUPS_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_PARTS_OF_SUB_GROUPS_HPP

#include "groups.hpp"

using scythe_members = unsigned long;

// Returns the members for which `x` holds.
SCYTHE_GROUP scythe_members __scythe_part_votes(scythe_members members, bool x) noexcept {
  return __nvvm_vote_ballot_sync(static_cast<scythe_u32>(members), x);
}

// Returns the lanes that the hardware runs together here.
SCYTHE_GROUP scythe_members __scythe_part_reached() noexcept { return __nvvm_activemask(); }

// Also orders the memory accesses of the members.
SCYTHE_GROUP void __scythe_part_barrier(scythe_members members) noexcept {
  __nvvm_bar_warp_sync(static_cast<scythe_u32>(members));
}

#define SCYTHE_SHUFFLES(T)                                                                         \
  SCYTHE_GROUP T __scythe_part_shuffle(scythe_members members, T x, scythe_u32 lane) noexcept {    \
    auto parts = scythe_device_library::split(x);                                                  \
    for (scythe_u32 &word : parts.word)                                                            \
      word = static_cast<scythe_u32>(__nvvm_shfl_sync_idx_i32(                                     \
          static_cast<scythe_u32>(members), static_cast<int>(word), static_cast<int>(lane), 31));  \
    return scythe_device_library::join_words<T>(parts);                                            \
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
