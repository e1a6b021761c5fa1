// Kernels that use scratch memory, launched without the property that gives its size.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/sycl.hpp>

namespace syclex = sycl::ext::oneapi::experimental;

int *scratch() { return static_cast<int *>(syclex::get_work_group_scratch_memory()); } // NOTE: the kernel uses the memory here // NOTE: the kernel uses the memory here

int main() {
  sycl::queue q;
  const sycl::nd_range<1> range(8, 8);
  q.parallel_for<class with>(range, syclex::properties{syclex::work_group_scratch_size(64)},
                             [=](sycl::nd_item<1>) { *scratch() = 1; });
  q.parallel_for<class without>(range, [=](sycl::nd_item<1>) { *scratch() = 1; }); // ERROR: kernel 'without' calls 'get_work_group_scratch_memory', but its launch does not have the property 'work_group_scratch_size' [scythe-E0128]
  q.single_task<class alone>([=] { *scratch() = 1; }); // ERROR: kernel 'alone' calls 'get_work_group_scratch_memory', but its launch does not have the property 'work_group_scratch_size' [scythe-E0128]
  q.single_task<class unrelated>([=] {});
}
