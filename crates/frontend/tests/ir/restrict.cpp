// [[intel::kernel_args_restrict]]: no two pointers of the kernel refer to the same memory.
// RUN: device-ir -O2 -Wall -Wextra -pedantic -Werror %s | FileCheck %s
#include <sycl/sycl.hpp>

struct Functor {
  int *p;
  const int *q;
  [[INTEL::kernel_args_restrict]] void operator()(sycl::id<1> i) const { p[i] = q[i]; }
};
// CHECK-DAG: define {{.*}} @_ZTS1a(ptr addrspace(1) noalias {{[^,]*}}, ptr addrspace(1) noalias {{[^,]*}}, i32 noundef
class a;
// CHECK-DAG: define {{.*}} @_ZTS1b(ptr addrspace(1) noalias {{[^,]*}}, ptr addrspace(1) noalias {{[^,]*}})
class b;
// CHECK-DAG: define {{.*}} @_ZTS1c(ptr addrspace(3) noundef %0, {{.*}}, ptr addrspace(1) noalias
class c;

void submit(sycl::queue &queue, int *p, const int *q, int x, sycl::buffer<int> &buffer) {
  queue.single_task<a>([=]() [[intel::kernel_args_restrict]] { *p = *q + x; });
  queue.parallel_for<b>(sycl::range<1>(8), Functor{p, q});
  queue.submit([&](sycl::handler &h) {
    sycl::accessor out(buffer, h);
    sycl::local_accessor<int> local(8, h);
    h.parallel_for<c>(sycl::nd_range<1>(8, 8),
                      [=](sycl::nd_item<1> it) [[intel::kernel_args_restrict]] {
                        local[it.get_local_id()] = 1;
                        out[it.get_global_id()] = local[it.get_local_id()];
                      });
  });
}
