// An error of an IR pass has no location, but names the kernel.
// RUN: not device-pass -w %s 2>&1 | FileCheck %s
// CHECK: error: {{.*}}kernel '{{.*}}contradictory{{.*}}': property 'sycl-sub-group-size' contradicts an attribute of the kernel{{.*}} [scythe-E0180]
#include <sycl/sycl.hpp>

using namespace sycl::ext::oneapi::experimental;

int main() {
  sycl::queue q;
  q.parallel_for<class contradictory>(
      sycl::nd_range<1>(16, 16), properties{sub_group_size<8>},
      [=](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(16)]] {});
}
