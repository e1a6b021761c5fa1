// Names that are the same in every translation unit are shared; others are made unique to this one.
// RUN: device-ir -O2 %s | FileCheck %s
#include <sycl/sycl.hpp>

// CHECK-DAG: $_ZTS6global = comdat any
class global;
namespace a {
template <class T, int N> struct named;
}
namespace {
class hidden;
}
template <class T> void in_template(sycl::queue &q, T *p) {
  // CHECK-DAG: define weak_odr spir_kernel void @_ZTSZ11in_templateIiEvRN4sycl5queueEPT_EUlvE_(
  q.single_task([=] { p[0] = 1; });
}
inline void in_inline(sycl::queue &q, int *p) {
  // CHECK-DAG: define weak_odr spir_kernel void @_ZTSZ9in_inlineRN4sycl5queueEPiEUlvE_(
  q.single_task([=] { p[0] = 1; });
}
static void in_static(sycl::queue &q, int *p) {
  // CHECK-DAG: define spir_kernel void @_ZTSZL9in_staticRN4sycl5queueEPiEUlvE_.tu.00000000000000ab(
  q.single_task([=] { p[0] = 1; });
}

// CHECK-DAG: "scythe-shape"="single_task" {{.*}}"sycl-module-id"="names.cpp"
void submit(sycl::queue &q, int *p) {
  // CHECK-DAG: define weak_odr spir_kernel void @_ZTS6global({{.*}} comdat
  q.single_task<global>([=] { p[0] = 1; });
  // CHECK-DAG: define weak_odr spir_kernel void @_ZTSN1a5namedIfLi3EEE(
  q.single_task<a::named<float, 3>>([=] { p[0] = 1; });
  // CHECK-DAG: define spir_kernel void @_ZTSN12_GLOBAL__N_16hiddenE.tu.00000000000000ab(
  q.single_task<hidden>([=] { p[0] = 1; });
  in_template(q, p);
  in_inline(q, p);
  in_static(q, p);
}
// CHECK-NOT: llvm.global.annotations
