// Entry points `__spirv_ocl_<name>` for float, double and half: the macros that define them, and
// the functions that are the same on the CPU and on NVIDIA GPUs.
#ifndef SCYTHE_DEVICE_LIBRARY_MATHS_ENTRIES_HPP
#define SCYTHE_DEVICE_LIBRARY_MATHS_ENTRIES_HPP

#include "device_library.hpp"

// A library function that is always inlined. A call would end vector code.
#define SCYTHE_MATHS SCYTHE_DEVICE __attribute__((always_inline))

// Defines `name` from a function of float and a function of double. The half version computes in
// float and rounds once.
#define SCYTHE_OF_1(name, in_float, in_double)                                                     \
  SCYTHE_MATHS float __spirv_ocl_##name(float x) noexcept { return in_float(x); }                  \
  SCYTHE_MATHS double __spirv_ocl_##name(double x) noexcept { return in_double(x); }               \
  SCYTHE_MATHS half __spirv_ocl_##name(half x) noexcept {                                          \
    return static_cast<half>(in_float(static_cast<float>(x)));                                     \
  }
#define SCYTHE_OF_2(name, in_float, in_double)                                                     \
  SCYTHE_MATHS float __spirv_ocl_##name(float x, float y) noexcept { return in_float(x, y); }      \
  SCYTHE_MATHS double __spirv_ocl_##name(double x, double y) noexcept { return in_double(x, y); }  \
  SCYTHE_MATHS half __spirv_ocl_##name(half x, half y) noexcept {                                  \
    return static_cast<half>(in_float(static_cast<float>(x), static_cast<float>(y)));              \
  }
#define SCYTHE_OF_3(name, in_float, in_double)                                                     \
  SCYTHE_MATHS float __spirv_ocl_##name(float x, float y, float z) noexcept {                      \
    return in_float(x, y, z);                                                                      \
  }                                                                                                \
  SCYTHE_MATHS double __spirv_ocl_##name(double x, double y, double z) noexcept {                  \
    return in_double(x, y, z);                                                                     \
  }                                                                                                \
  SCYTHE_MATHS half __spirv_ocl_##name(half x, half y, half z) noexcept {                          \
    return static_cast<half>(                                                                      \
        in_float(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));            \
  }

// The next representable number differs between half and float, so this function steps through the
// bits of half.
SCYTHE_DEVICE half __spirv_ocl_nextafter(half x, half y) noexcept {
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  unsigned short bits = __builtin_bit_cast(unsigned short, x);
  if (x == static_cast<half>(0))
    bits = static_cast<unsigned short>((__builtin_bit_cast(unsigned short, y) & 0x8000u) | 1u);
  else
    bits = static_cast<unsigned short>((x < y) == (x > static_cast<half>(0)) ? bits + 1 : bits - 1);
  return __builtin_bit_cast(half, bits);
}

SCYTHE_MATHS float __spirv_ocl_nan(unsigned int code) noexcept {
  return __builtin_bit_cast(float, 0x7fc00000u | (code & 0x3fffffu));
}
SCYTHE_MATHS double __spirv_ocl_nan(unsigned long code) noexcept {
  return __builtin_bit_cast(double, 0x7ff8000000000000ul | (code & 0x7fffffffffffful));
}
SCYTHE_MATHS half __spirv_ocl_nan(unsigned short code) noexcept {
  return __builtin_bit_cast(half, static_cast<unsigned short>(0x7e00u | (code & 0x1ffu)));
}

#endif
