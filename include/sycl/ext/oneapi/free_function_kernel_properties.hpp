// The properties of free function kernels and the macro that gives them to a function, without the
// rest of SYCL (`sycl_ext_oneapi_free_function_kernels`).
#ifndef SCYTHE_EXT_ONEAPI_FREE_FUNCTION_KERNEL_PROPERTIES_HPP
#define SCYTHE_EXT_ONEAPI_FREE_FUNCTION_KERNEL_PROPERTIES_HPP

#include <sycl/ext/oneapi/kernel_properties.hpp>

#endif
