// The clocks of NVIDIA GPUs: cycles of the multiprocessor for groups, nanoseconds for the device.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_CLOCK_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_CLOCK_HPP

#include "groups.hpp"

extern "C" SCYTHE_GROUP unsigned long __scythe_clock(scythe_u32 scope) noexcept {
  unsigned long now;
  if (scope == scythe_device_library::device_scope)
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  else
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

#endif
