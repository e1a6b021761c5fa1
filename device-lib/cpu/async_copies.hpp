// Asynchronous copies by all work-items of a group, element by element. This implements
// `__spirv_OpGroupAsyncCopy` for devices without an instruction for it. The compiler inserts the
// barrier at which the work-items wait for the copy.
#ifndef SCYTHE_DEVICE_LIBRARY_ASYNC_COPIES_HPP
#define SCYTHE_DEVICE_LIBRARY_ASYNC_COPIES_HPP

#include "device_library.hpp"

SCYTHE_DEVICE __attribute__((const)) extern __SIZE_TYPE__
__spirv_BuiltInWorkgroupSize(int dimension) noexcept;
SCYTHE_DEVICE __attribute__((const)) extern __SIZE_TYPE__
__spirv_BuiltInLocalInvocationId(int dimension) noexcept;

// Steps are counted in elements of `size` bytes.
extern "C" SCYTHE_DEVICE void __scythe_group_copy(unsigned char *to, const unsigned char *from,
                                                  __SIZE_TYPE__ count, __SIZE_TYPE__ to_step,
                                                  __SIZE_TYPE__ from_step, __SIZE_TYPE__ size) {
  __SIZE_TYPE__ self = 0, items = 1;
  for (int dimension = 2; dimension >= 0; --dimension) {
    const __SIZE_TYPE__ extent = __spirv_BuiltInWorkgroupSize(dimension);
    self = self * extent + __spirv_BuiltInLocalInvocationId(dimension);
    items *= extent;
  }
  for (__SIZE_TYPE__ i = self; i < count; i += items)
    for (__SIZE_TYPE__ byte = 0; byte < size; ++byte)
      to[i * to_step * size + byte] = from[i * from_step * size + byte];
}

#endif
