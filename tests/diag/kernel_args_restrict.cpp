// The attribute for kernels whose pointers refer to different memory, with arguments and in a wrong
// place.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

struct Restricted {
  [[intel::kernel_args_restrict(1)]] void operator()() const {} // ERROR: 'intel::kernel_args_restrict' attribute takes no arguments, not 1 [scythe-E0142]
};
[[intel::kernel_args_restrict]] int restricted_variable; // ERROR: 'intel::kernel_args_restrict' attribute only applies to functions [scythe-E0140]
