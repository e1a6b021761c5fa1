// Memory and string functions of the C library, which library headers call. Drivers do not define
// these names.
#ifndef SCYTHE_DEVICE_LIBRARY_C_MEMORY_HPP
#define SCYTHE_DEVICE_LIBRARY_C_MEMORY_HPP

#include "../cpu/device_library.hpp"

// Stops the compiler from turning the loops into calls of `memcpy`, which would call themselves.
#define SCYTHE_C_MEMORY SCYTHE_DEVICE __attribute__((no_builtin))

extern "C" {

SCYTHE_C_MEMORY int memcmp(const void *a, const void *b, __SIZE_TYPE__ size) noexcept {
  const auto *x = static_cast<const unsigned char *>(a), *y = static_cast<const unsigned char *>(b);
  for (__SIZE_TYPE__ i = 0; i < size; ++i)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}
SCYTHE_C_MEMORY int bcmp(const void *a, const void *b, __SIZE_TYPE__ size) noexcept {
  return memcmp(a, b, size);
}

SCYTHE_C_MEMORY __SIZE_TYPE__ strlen(const char *text) noexcept {
  __SIZE_TYPE__ length = 0;
  while (text[length] != 0)
    ++length;
  return length;
}

SCYTHE_C_MEMORY int strcmp(const char *a, const char *b) noexcept {
  __SIZE_TYPE__ i = 0;
  while (a[i] != 0 && a[i] == b[i])
    ++i;
  const auto x = static_cast<unsigned char>(a[i]), y = static_cast<unsigned char>(b[i]);
  return x == y ? 0 : x < y ? -1 : 1;
}
}

#undef SCYTHE_C_MEMORY

#endif
