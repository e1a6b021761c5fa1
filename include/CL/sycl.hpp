// The header name and namespace of SYCL 1.2.1, for programs written for it.
//
// Such programs often rely on the exception classes that SYCL 2020 replaced with error codes.
// Programs can name and catch these classes. They are never thrown. The names of classes of the
// standard library and of scalars are those of SYCL 1.2.1.
#ifndef SCYTHE_CL_SYCL_HPP
#define SCYTHE_CL_SYCL_HPP

#include <sycl/ext/oneapi/atomic.hpp>
#include <sycl/ext/oneapi/group_algorithm.hpp>
#include <sycl/sycl.hpp>

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

template <class T, class Allocator = std::allocator<T>>
using vector_class = std::vector<T, Allocator>;
using string_class = std::string;
template <class Signature> using function_class = std::function<Signature>;
using mutex_class = std::mutex;
template <class T, class Deleter = std::default_delete<T>>
using unique_ptr_class = std::unique_ptr<T, Deleter>;
template <class T> using shared_ptr_class = std::shared_ptr<T>;
template <class T> using weak_ptr_class = std::weak_ptr<T>;
template <class T> using hash_class = std::hash<T>;
using exception_ptr_class = std::exception_ptr;

// `cl_bool` and `cl_half` are missing: OpenCL has other types under these names, and both would be
// visible in a program with `using namespace cl::sycl`.
using opencl::cl_char;
using opencl::cl_double;
using opencl::cl_float;
using opencl::cl_int;
using opencl::cl_long;
using opencl::cl_short;
using opencl::cl_uchar;
using opencl::cl_uint;
using opencl::cl_ulong;
using opencl::cl_ushort;

// The namespace of DPC++'s extensions at that time. Programs may use it with `namespace sycl`, so
// it has the names of that time only, and programs may add names to it.
namespace ONEAPI {
using ext::oneapi::all_of;
using ext::oneapi::any_of;
using ext::oneapi::atomic_accessor;
using ext::oneapi::atomic_fence;
using ext::oneapi::atomic_ref;
using ext::oneapi::bit_and;
using ext::oneapi::bit_or;
using ext::oneapi::bit_xor;
using ext::oneapi::broadcast;
using ext::oneapi::exclusive_scan;
using ext::oneapi::filter_selector;
using ext::oneapi::inclusive_scan;
using ext::oneapi::leader;
using ext::oneapi::logical_and;
using ext::oneapi::logical_or;
using ext::oneapi::maximum;
using ext::oneapi::memory_order;
using ext::oneapi::memory_scope;
using ext::oneapi::minimum;
using ext::oneapi::multiplies;
using ext::oneapi::none_of;
using ext::oneapi::plus;
using ext::oneapi::reduce;
using ext::oneapi::reduction;
using ext::oneapi::sub_group;
namespace experimental {
using namespace ext::oneapi::experimental;
}
} // namespace ONEAPI

// There is no host device. The CPU device runs kernels on the host.
class host_selector : public device_selector {
public:
  int operator()(const device &d) const override { return cpu_selector_v(d); }
};

} // namespace sycl

namespace cl {
namespace sycl = ::sycl;
}

#endif
