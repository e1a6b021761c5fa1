// The functions of the C library that return a quotient and a remainder.
#include "device_library.hpp"

// Defines a function whose result has the layout of the C library's type.
#define SCYTHE_DIVISION(name, T)                                                                   \
  struct scythe_##name##_result {                                                                  \
    T quot, rem;                                                                                   \
  };                                                                                               \
  SCYTHE_DEVICE scythe_##name##_result name(T x, T y) noexcept { return {x / y, x % y}; }

extern "C" {
SCYTHE_DIVISION(div, int)
SCYTHE_DIVISION(ldiv, long)
SCYTHE_DIVISION(lldiv, long long)
}

#undef SCYTHE_DIVISION
