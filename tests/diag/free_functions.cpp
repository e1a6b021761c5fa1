// Declarations that cannot be free function kernels, and errors in kernels that nothing launches.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

#include <string>

namespace syclexp = sycl::ext::oneapi::experimental;
#define RANGE SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
#define TASK SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))

RANGE int returns(int); // ERROR: 'returns' cannot be a kernel: it must return 'void' [scythe-E0129]
TASK void variadic(int, ...) {} // ERROR: 'variadic' cannot be a kernel: it cannot have variadic arguments [scythe-E0129]
RANGE void defaulted(int a, int b = 3) {} // ERROR: 'defaulted' cannot be a kernel: parameter 'b' cannot have a default argument [scythe-E0129]
namespace ns {
RANGE void reference(int a, const float &b) {} // ERROR: 'ns::reference' cannot be a kernel: parameter 'b' cannot be a reference: pass a value, or a pointer to memory that the device can access [scythe-E0129]
}
struct scope {
  TASK void method() {} // ERROR: 'scope::method' cannot be a kernel: it must be a function at namespace scope or a static member function [scythe-E0129]
  TASK virtual void dynamic() {} // ERROR: 'scope::dynamic' cannot be a kernel: it must be a function at namespace scope or a static member function [scythe-E0129]
  TASK static void fine() {}
};
RANGE TASK void both() {} // ERROR: 'both' cannot be a kernel: it can have only one kind of kernel as property [scythe-E0129]
void later(int);
RANGE void later(int) {} // ERROR: 'later' cannot be a kernel: its first declaration must have the property: move the property there, or repeat it there [scythe-E0129]
RANGE void repeated(int);
RANGE void repeated(int) {}

TASK void copies(std::string text) {} // ERROR: 'std::basic_string<char>', the type of parameter 'text' of the kernel, is not device copyable: pass data that can be copied byte by byte, or specialise 'sycl::is_device_copyable' [scythe-E0122] // NOTE: in kernel 'copies'
template <class T> TASK void fails(T) { throw 1; } // ERROR: SYCL kernel cannot use exceptions [scythe-E0101] // NOTE: called by kernel 'fails<int>'
template void fails(int);
