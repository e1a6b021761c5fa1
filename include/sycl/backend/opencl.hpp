// Interoperation of SYCL and OpenCL. This header includes OpenCL's headers if they are installed,
// and always provides the functions that convert between SYCL and OpenCL objects.
#ifndef SCYTHE_BACKEND_OPENCL_HPP
#define SCYTHE_BACKEND_OPENCL_HPP

#if __has_include(<CL/cl.h>)
// Without this macro, OpenCL's headers print a message.
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif

#include <sycl/detail/opencl_interop.hpp>

#endif
