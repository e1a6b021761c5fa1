// `sycl::opencl::cl_int` and its like: types of the sizes that OpenCL gives them (SYCL 2020, C.4).
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

#endif
