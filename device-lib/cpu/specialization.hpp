// How kernels read specialization constants: by now the variable holds the value that counts.
#ifndef SCYTHE_DEVICE_LIBRARY_SPECIALIZATION_HPP
#define SCYTHE_DEVICE_LIBRARY_SPECIALIZATION_HPP

#include "device_library.hpp"

extern "C" SCYTHE_DEVICE const void *
__scythe_specialization_constant(const void *variable) noexcept {
  return variable;
}

#endif
