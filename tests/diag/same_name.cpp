// One name for two kernels.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

class twice;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<twice>([=] { p[0] = 1; }); // NOTE: the other kernel is here
  q.single_task<twice>([=] { p[0] = 2; }); // ERROR: kernel name 'twice' is used by two different kernels [scythe-E0125]
  q.single_task<bool>([=] { p[0] = 3; });
  q.single_task<bool>([=] { p[0] = 4; }); // ERROR: kernel name 'bool' is used by two different kernels [scythe-E0125]
}
