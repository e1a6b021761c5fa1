// How the warps of one work-group combine their results: one slot for each in shared memory, and two barriers. Each
// warp goes over all slots by itself, a lane for each, so that nobody waits for one that does.
//
// It takes the place of the CPU's `group_scratch.hpp`, by the same names.
#ifndef SCYTHE_DEVICE_LIBRARY_GROUP_SCRATCH_HPP
#define SCYTHE_DEVICE_LIBRARY_GROUP_SCRATCH_HPP

#include "warp.hpp"

namespace scythe_device_library {

// A work-group has at most 1024 work-items.
[[clang::loader_uninitialized]] inline __attribute__((opencl_local)) unsigned long group_slots[warp_size];
[[clang::loader_uninitialized]] inline __attribute__((opencl_local)) unsigned long group_broadcast_value;

template <class T> SCYTHE_WARP unsigned long pack(T x) {
  unsigned long bits = 0;
  __builtin_memcpy(&bits, &x, sizeof(T));
  return bits;
}
template <class T> SCYTHE_WARP T unpack(unsigned long bits) {
  T x;
  __builtin_memcpy(&x, &bits, sizeof(T));
  return x;
}

// Leaves each warp's value in its slot, and gives every lane that of the warp with its number.
template <class T> SCYTHE_WARP T exchange_slots(T of_warp) {
  if (lane() == 0)
    group_slots[linear_id() / warp_size] = pack(of_warp);
  work_group_barrier();
  const T slot = unpack<T>(group_slots[lane()]);
  // The next operation may fill the slots again.
  work_group_barrier();
  return slot;
}

// `of_sub_group` is the same for all work-items of a sub-group.
template <class T, class Op> SCYTHE_WARP T combine_sub_groups(T of_sub_group, Op op) {
  return fold_lanes(exchange_slots(of_sub_group), warps_of_group(), op);
}

// `in_sub_group` is the caller's scan inside its sub-group, `of_sub_group` the sub-group's whole.
template <class T, class Op> SCYTHE_WARP T scan_sub_groups(T in_sub_group, T of_sub_group, Op op) {
  const scythe_u32 self = linear_id() / warp_size;
  const T before = from_lane(scan_lanes(exchange_slots(of_sub_group), op), self - 1);
  return self == 0 ? in_sub_group : op(before, in_sub_group);
}

// The second barrier keeps the next broadcast from replacing the value before everybody has read it.
template <class T> SCYTHE_WARP T broadcast_in_group(T x, bool is_source) {
  if (is_source)
    group_broadcast_value = pack(x);
  work_group_barrier();
  const T value = unpack<T>(group_broadcast_value);
  work_group_barrier();
  return value;
}

} // namespace scythe_device_library

#endif
