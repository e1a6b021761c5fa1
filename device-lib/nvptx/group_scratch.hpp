// The warps of a work-group combine their results with one slot per warp in shared memory and two
// barriers. Each warp visits all slots with one lane per slot, so no warp waits for another warp to
// combine them. If the last warp has fewer lanes than there are warps, every lane of all warps
// visits the slots one by one. All lanes therefore compute the same result.
//
// This file replaces the CPU's `group_scratch.hpp` and defines the same names.
#ifndef SCYTHE_DEVICE_LIBRARY_GROUP_SCRATCH_HPP
#define SCYTHE_DEVICE_LIBRARY_GROUP_SCRATCH_HPP

#include "../cpu/group_broadcast.hpp"
#include "warp.hpp"

namespace scythe_device_library {

// A work-group has at most 1024 work-items.
[[clang::loader_uninitialized]] inline
    __attribute__((opencl_local)) unsigned long group_slots[warp_size];

// Returns true if every warp has a lane for each slot.
SCYTHE_WARP bool lanes_cover_slots() {
  const scythe_u32 rest = items_of_group() % warp_size;
  return rest == 0 || rest >= warps_of_group();
}

// Stores each warp's value in its slot, calls `use`, and waits so that the next operation does not
// fill the slots too early.
template <class T, class Use> SCYTHE_WARP T with_slots(T of_warp, Use use) {
  if (lane() == 0)
    group_slots[linear_id() / warp_size] = pack(of_warp);
  work_group_barrier();
  const T result = use();
  work_group_barrier();
  return result;
}

// Combines the first `count` slots in order. `count` is at least one. Unrolled code would be large,
// and few sizes of work-groups need the loop.
template <class T, class Op> SCYTHE_WARP T fold_slots(scythe_u32 count, Op op) {
  T whole = unpack<T>(group_slots[0]);
#pragma clang loop unroll(disable)
  for (scythe_u32 slot = 1; slot < count; ++slot)
    whole = op(whole, unpack<T>(group_slots[slot]));
  return whole;
}

// `of_sub_group` has the same value in all work-items of a sub-group. `fold` combines the values of
// the first lanes of a warp; their number is its second argument.
template <class T, class Op, class Fold>
SCYTHE_WARP T combine_sub_groups(T of_sub_group, Op op, Fold fold) {
  return with_slots(of_sub_group, [&]() -> T {
    const scythe_u32 warps = warps_of_group();
    if (lanes_cover_slots())
      return fold(unpack<T>(group_slots[lane()]), warps);
    return fold_slots<T>(warps, op);
  });
}
template <class T, class Op> SCYTHE_WARP T combine_sub_groups(T of_sub_group, Op op) {
  return combine_sub_groups(of_sub_group, op,
                            [&](T x, scythe_u32 count) { return fold_lanes(x, count, op); });
}

// `in_sub_group` is the caller's scan within its sub-group. `of_sub_group` is the result of the
// whole sub-group.
template <class T, class Op> SCYTHE_WARP T scan_sub_groups(T in_sub_group, T of_sub_group, Op op) {
  const scythe_u32 self = linear_id() / warp_size;
  const T before = with_slots(of_sub_group, [&]() -> T {
    if (lanes_cover_slots())
      return from_lane(scan_lanes(unpack<T>(group_slots[lane()]), op), self - 1);
    return fold_slots<T>(self, op);
  });
  return self == 0 ? in_sub_group : op(before, in_sub_group);
}

} // namespace scythe_device_library

#endif
