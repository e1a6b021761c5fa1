// SYCL and OpenCL in one program: OpenCL's own functions and types where its headers are installed,
// and in any case what leads from SYCL's objects to OpenCL's and back.
#ifndef SCYTHE_BACKEND_OPENCL_HPP
#define SCYTHE_BACKEND_OPENCL_HPP

#if __has_include(<CL/cl.h>)
// Without it OpenCL's headers print a message.
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif

#include <sycl/detail/opencl_interop.hpp>

#endif
