// Types and statements that devices do not have.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

long double wide(long double x) { return x * 2; } // ERROR: SYCL kernel cannot use 'long double', which devices do not support: use 'double' or 'float' [scythe-E0111]
long double host_only(long double x) { return x; }

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  q.single_task<class k>([=] {
    p[0] = static_cast<int>(wide(1)); // ERROR: SYCL kernel cannot use 'long double', which devices do not support: use 'double' or 'float' [scythe-E0111]
    int n = p[0];
    int variable[n]; // ERROR: SYCL kernel cannot use a variable-length array ('variable') [scythe-E0110]
    variable[0] = 1;
    int nothing[0]; // ERROR: SYCL kernel cannot use a zero-length array ('nothing') [scythe-E0110]
    p[1] = variable[0] + sizeof(nothing);
    asm("nop"); // ERROR: SYCL kernel cannot use inline assembly [scythe-E0112]
  });
  return static_cast<int>(host_only(3));
}
