// Values as bits in local memory, and a broadcast of one value to a work-group.
#ifndef SCYTHE_DEVICE_LIBRARY_GROUP_BROADCAST_HPP
#define SCYTHE_DEVICE_LIBRARY_GROUP_BROADCAST_HPP

#include "group_primitives.hpp"

namespace scythe_device_library {

[[clang::loader_uninitialized]] inline
    __attribute__((opencl_local)) unsigned long group_broadcast_value;

template <class T> inline __attribute__((always_inline)) unsigned long pack(T x) {
  unsigned long bits = 0;
  __builtin_memcpy(&bits, &x, sizeof(T));
  return bits;
}
template <class T> inline __attribute__((always_inline)) T unpack(unsigned long bits) {
  T x;
  __builtin_memcpy(&x, &bits, sizeof(T));
  return x;
}

// The second barrier prevents the next broadcast from overwriting the value before all work-items
// have read it.
template <class T> inline __attribute__((always_inline)) T broadcast_in_group(T x, bool is_source) {
  if (is_source)
    group_broadcast_value = pack(x);
  work_group_barrier();
  const T value = unpack<T>(group_broadcast_value);
  work_group_barrier();
  return value;
}

} // namespace scythe_device_library

#endif
