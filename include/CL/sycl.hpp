// The header name and namespace of SYCL 1.2.1, for programs written for it.
//
// Such programs often rely on standard headers that this header included in other implementations,
// and on the exception classes that SYCL 2020 replaced with error codes. Programs can name and
// catch these classes. They are never thrown.
#ifndef SCYTHE_CL_SYCL_HPP
#define SCYTHE_CL_SYCL_HPP

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <vector>

namespace sycl {

#define SCYTHE_EARLIER_EXCEPTION(name, base)                                                       \
  class name : public base {                                                                       \
    using base::base;                                                                              \
  };
SCYTHE_EARLIER_EXCEPTION(runtime_error, exception)
SCYTHE_EARLIER_EXCEPTION(kernel_error, runtime_error)
SCYTHE_EARLIER_EXCEPTION(accessor_error, runtime_error)
SCYTHE_EARLIER_EXCEPTION(nd_range_error, runtime_error)
SCYTHE_EARLIER_EXCEPTION(event_error, runtime_error)
SCYTHE_EARLIER_EXCEPTION(invalid_parameter_error, runtime_error)
SCYTHE_EARLIER_EXCEPTION(device_error, exception)
SCYTHE_EARLIER_EXCEPTION(compile_program_error, device_error)
SCYTHE_EARLIER_EXCEPTION(link_program_error, device_error)
SCYTHE_EARLIER_EXCEPTION(invalid_object_error, device_error)
SCYTHE_EARLIER_EXCEPTION(memory_allocation_error, device_error)
SCYTHE_EARLIER_EXCEPTION(platform_error, device_error)
SCYTHE_EARLIER_EXCEPTION(profiling_error, device_error)
SCYTHE_EARLIER_EXCEPTION(feature_not_supported, device_error)
#undef SCYTHE_EARLIER_EXCEPTION

} // namespace sycl

namespace cl {
namespace sycl = ::sycl;
}

#endif
