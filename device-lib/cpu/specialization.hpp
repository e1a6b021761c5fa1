// Reads of specialization constants. When this code runs, the variable already holds the final
// value.
#ifndef SCYTHE_DEVICE_LIBRARY_SPECIALIZATION_HPP
#define SCYTHE_DEVICE_LIBRARY_SPECIALIZATION_HPP

#include "device_library.hpp"

extern "C" SCYTHE_DEVICE const void *
__scythe_specialization_constant(const void *variable) noexcept {
  return variable;
}

#endif
