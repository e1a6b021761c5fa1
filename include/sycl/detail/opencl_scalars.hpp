// `sycl::opencl::cl_int` and similar types with the sizes of OpenCL (SYCL 2020, C.4). OpenCL's own
// names are declared as in its headers, so that programs may include both. Some programs expect
// these names from a SYCL header, because some implementations include OpenCL's headers.
#ifndef SCYTHE_DETAIL_OPENCL_SCALARS_HPP
#define SCYTHE_DETAIL_OPENCL_SCALARS_HPP

#include <sycl/half.hpp>

#include <cstdint>

namespace sycl::opencl {

using cl_bool = bool;
using cl_char = std::int8_t;
using cl_uchar = std::uint8_t;
using cl_short = std::int16_t;
using cl_ushort = std::uint16_t;
using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_float = float;
using cl_double = double;
using cl_half = half;

} // namespace sycl::opencl

typedef std::int8_t cl_char;
typedef std::uint8_t cl_uchar;
typedef std::int16_t cl_short;
typedef std::uint16_t cl_ushort;
typedef std::int32_t cl_int;
typedef std::uint32_t cl_uint;
typedef std::int64_t cl_long;
typedef std::uint64_t cl_ulong;
typedef std::uint16_t cl_half;
typedef float cl_float;
typedef double cl_double;
typedef cl_uint cl_bool;

#endif
