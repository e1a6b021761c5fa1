// The functions of the C library for integers. `-fno-builtin` makes calls of `abs` appear here.
#include "device_library.hpp"

// Defines a function whose result has the layout of the C library's type.
#define SCYTHE_DIVISION(name, T)                                                                   \
  struct scythe_##name##_result {                                                                  \
    T quot, rem;                                                                                   \
  };                                                                                               \
  SCYTHE_DEVICE scythe_##name##_result name(T x, T y) noexcept { return {x / y, x % y}; }

extern "C" {
SCYTHE_DEVICE int abs(int x) noexcept { return x < 0 ? -x : x; }
SCYTHE_DEVICE long labs(long x) noexcept { return x < 0 ? -x : x; }
SCYTHE_DEVICE long long llabs(long long x) noexcept { return x < 0 ? -x : x; }
SCYTHE_DIVISION(div, int)
SCYTHE_DIVISION(ldiv, long)
SCYTHE_DIVISION(lldiv, long long)
}

#undef SCYTHE_DIVISION
