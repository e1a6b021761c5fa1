// Short names of vectors and mathematical arrays, such as `float4`, `uchar16` and `mhalf3`.
#ifndef SCYTHE_ALIASES_HPP
#define SCYTHE_ALIASES_HPP

#include <sycl/marray.hpp>
#include <sycl/vec.hpp>

namespace sycl {

// Scalar names of SYCL 1.2.1 that programs still use.
using schar = signed char;
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;
using longlong = long long;
using ulonglong = unsigned long long;

#define SCYTHE_ALIASES(name, T)                                                                    \
  using name##2 = vec<T, 2>;                                                                       \
  using name##3 = vec<T, 3>;                                                                       \
  using name##4 = vec<T, 4>;                                                                       \
  using name##8 = vec<T, 8>;                                                                       \
  using name##16 = vec<T, 16>;                                                                     \
  using m##name##2 = marray<T, 2>;                                                                 \
  using m##name##3 = marray<T, 3>;                                                                 \
  using m##name##4 = marray<T, 4>;                                                                 \
  using m##name##8 = marray<T, 8>;                                                                 \
  using m##name##16 = marray<T, 16>;
SCYTHE_ALIASES(bool, bool)
SCYTHE_ALIASES(char, std::int8_t)
SCYTHE_ALIASES(uchar, std::uint8_t)
SCYTHE_ALIASES(short, std::int16_t)
SCYTHE_ALIASES(ushort, std::uint16_t)
SCYTHE_ALIASES(int, std::int32_t)
SCYTHE_ALIASES(uint, std::uint32_t)
SCYTHE_ALIASES(long, std::int64_t)
SCYTHE_ALIASES(ulong, std::uint64_t)
SCYTHE_ALIASES(half, half)
SCYTHE_ALIASES(float, float)
SCYTHE_ALIASES(double, double)
#undef SCYTHE_ALIASES

// OpenCL's names for the same types, which SYCL 1.2.1 had as well.
#define SCYTHE_ALIASES(name)                                                                       \
  using cl_##name##2 = name##2;                                                                    \
  using cl_##name##3 = name##3;                                                                    \
  using cl_##name##4 = name##4;                                                                    \
  using cl_##name##8 = name##8;                                                                    \
  using cl_##name##16 = name##16;
SCYTHE_ALIASES(char)
SCYTHE_ALIASES(uchar)
SCYTHE_ALIASES(short)
SCYTHE_ALIASES(ushort)
SCYTHE_ALIASES(int)
SCYTHE_ALIASES(uint)
SCYTHE_ALIASES(long)
SCYTHE_ALIASES(ulong)
SCYTHE_ALIASES(half)
SCYTHE_ALIASES(float)
SCYTHE_ALIASES(double)
#undef SCYTHE_ALIASES

} // namespace sycl

#endif
