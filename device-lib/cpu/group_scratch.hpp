// The sub-groups of a work-group combine their results with scratch in local memory and two
// barriers:
//
//  1. Each sub-group combines its values and stores the result in its slot.
//  2. Barrier. Sub-group 0 visits all slots once. The cost is linear in the size of the group.
//  3. Barrier. All work-items read the result.
//
// Two barriers are enough. Sub-group 0 reads a slot between them. After the second barrier, only
// the sub-group that owns the slot reads it and fills it again. The common result is written
// between the barriers, when all work-items have read the previous one. This holds for any sequence
// of operations, so all operations share the scratch.
#ifndef SCYTHE_DEVICE_LIBRARY_GROUP_SCRATCH_HPP
#define SCYTHE_DEVICE_LIBRARY_GROUP_SCRATCH_HPP

#include "group_broadcast.hpp"

namespace scythe_device_library {

// A kernel that was not widened for the CPU has sub-groups of one work-item.
#ifndef SCYTHE_MAX_SUB_GROUPS
#define SCYTHE_MAX_SUB_GROUPS 8192
#endif
constexpr scythe_u32 max_sub_groups = SCYTHE_MAX_SUB_GROUPS;

[[clang::loader_uninitialized]] inline
    __attribute__((opencl_local)) unsigned long group_slots[max_sub_groups];
[[clang::loader_uninitialized]] inline __attribute__((opencl_local)) unsigned long group_result;

// Stores the result of each sub-group in its slot, lets sub-group 0 call `use` with the number of
// slots, and waits until it has finished. `self` is the number of the caller's sub-group.
template <class T, class Use>
inline __attribute__((always_inline)) void with_slots(scythe_u32 self, T of_sub_group, Use use) {
  group_slots[self] = pack(of_sub_group);
  work_group_barrier();
  if (self == 0)
    use(__spirv_BuiltInNumSubgroups());
  work_group_barrier();
}

// `of_sub_group` has the same value in all work-items of a sub-group.
template <class T, class Op>
inline __attribute__((always_inline)) T combine_sub_groups(T of_sub_group, Op op) {
  with_slots(__spirv_BuiltInSubgroupId(), of_sub_group, [&](scythe_u32 count) {
    T sum = of_sub_group;
    for (scythe_u32 i = 1; i < count; ++i)
      sum = op(sum, unpack<T>(group_slots[i]));
    group_result = pack(sum);
  });
  return unpack<T>(group_result);
}

// `in_sub_group` is the caller's scan within its sub-group. `of_sub_group` is the result of the
// whole sub-group.
template <class T, class Op>
inline __attribute__((always_inline)) T scan_sub_groups(T in_sub_group, T of_sub_group, Op op) {
  const scythe_u32 self = __spirv_BuiltInSubgroupId();
  with_slots(self, of_sub_group, [&](scythe_u32 count) {
    // Each slot receives the sum of the slots before it. The slot of sub-group 0 is not read.
    T sum = of_sub_group;
    for (scythe_u32 i = 1; i < count; ++i) {
      const T next = unpack<T>(group_slots[i]);
      group_slots[i] = pack(sum);
      sum = op(sum, next);
    }
  });
  return self == 0 ? in_sub_group : op(unpack<T>(group_slots[self]), in_sub_group);
}

} // namespace scythe_device_library

#endif
