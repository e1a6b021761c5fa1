// The barrier of the root group on NVIDIA GPUs: the blocks of a cooperative launch, which run at
// the same time, meet at a word in global memory.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_ROOT_GROUP_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_ROOT_GROUP_HPP

#include "groups.hpp"

// The address of the word in the launch block, or 0. The back end defines this function.
extern "C" SCYTHE_DEVICE unsigned long __scythe_meeting() noexcept;

// Waits until one work-item of each work-group has called this function. Between barriers of the
// work-group, the fences of this work-item order the memory of all of its work-items.
//
// The blocks together add 2^31: block 0 adds the difference to the number of the others. The
// highest bit of the word flips with the last of them, and the other bits are 0 again.
extern "C" SCYTHE_GROUP void __scythe_root_group_wait() noexcept {
  using namespace scythe_device_library;
  const unsigned long word = __scythe_meeting();
  if (word == 0)
    return;
  const scythe_u32 groups =
      static_cast<scythe_u32>(__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() *
                              __nvvm_read_ptx_sreg_nctaid_z());
  const bool first = (__nvvm_read_ptx_sreg_ctaid_x() | __nvvm_read_ptx_sreg_ctaid_y() |
                      __nvvm_read_ptx_sreg_ctaid_z()) == 0;
  constexpr scythe_u32 flag = 1u << 31;
  const scythe_u32 mine = first ? flag - (groups - 1) : 1u;
  scythe_u32 before, now;
  fence(device_scope, sequentially_consistent);
  asm volatile("atom.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(word), "r"(mine)
               : "memory");
  do
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
  while (((before ^ now) & flag) == 0);
  fence(device_scope, sequentially_consistent);
}

#endif
