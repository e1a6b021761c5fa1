// Finds the address space of a pointer. On a GPU, the address spaces are windows of the generic
// address space.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_ADDRESS_SPACES_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_ADDRESS_SPACES_HPP

#include "../cpu/device_library.hpp"

extern "C" {

SCYTHE_DEVICE bool __scythe_is_global(const volatile void *p) noexcept {
  return __nvvm_isspacep_global(const_cast<const void *>(p));
}

SCYTHE_DEVICE bool __scythe_is_local(const volatile void *p) noexcept {
  return __nvvm_isspacep_shared(const_cast<const void *>(p));
}

SCYTHE_DEVICE bool __scythe_is_private(const volatile void *p) noexcept {
  return __nvvm_isspacep_local(const_cast<const void *>(p));
}
}

#endif
