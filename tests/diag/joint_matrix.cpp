// Joint matrices that no device has: other element types, groups, layouts, products and memory.
// RUN: not device-pass -w %s 2>&1 | FileCheck %s
#include <sycl/sycl.hpp>

#include <sycl/ext/oneapi/matrix/matrix.hpp>

using namespace sycl::ext::oneapi::experimental;
using namespace sycl::ext::oneapi::experimental::matrix;
using sycl::sub_group;

SYCL_EXTERNAL void
wrong(sub_group sg,
      sycl::multi_ptr<float, sycl::access::address_space::global_space, sycl::access::decorated::no>
          memory) {
  // CHECK-DAG: error: {{.*}}the group of a joint_matrix must be sycl::sub_group
  joint_matrix<sycl::group<1>, float, use::accumulator, 8, 8> group;
  // CHECK-DAG: error: {{.*}}an accumulator has layout::dynamic, and other joint matrices
  joint_matrix<sub_group, float, use::a, 8, 8, layout::dynamic> dynamic;
  joint_matrix<sub_group, sycl::half, use::a, 8, 8, layout::row_major> a;
  joint_matrix<sub_group, std::int8_t, use::b, 8, 8, layout::row_major> b;
  joint_matrix<sub_group, float, use::accumulator, 8, 8> c;
  // CHECK-DAG: error: {{.*}}no device multiplies joint matrices with elements of these types
  joint_matrix_mad(sg, c, a, b, c);
  // CHECK-DAG: error: no matching function for call to 'joint_matrix_load'
  joint_matrix_load(sg, a, memory, 8);
  // CHECK-DAG: error: {{.*}}Invalid types or sizes: the architecture has no such product
  using params = matrix_params<architecture::nvidia_gpu_sm_70, double, double, double>;
  static_assert(params::M == 0);
  // CHECK-DAG: error: {{.*}}no device has joint matrices with elements of this type
  joint_matrix<sub_group, long double, use::accumulator, 8, 8> wide;
}
