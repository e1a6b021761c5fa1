// SYCL's attributes, in every place where they may stand, and the aspects of types.
// RUN: device-ir -O0 -Wall -Wextra -pedantic -Werror -isystem system %s | FileCheck %s
#include <attributes.hpp>
#include <sycl/sycl.hpp>

struct Functor {
  int *p;
  [[sycl::reqd_sub_group_size(8)]] void operator()() const { p[0] = 1; }
};
struct Trailing {
  int *p;
  void operator()() const [[sycl::reqd_sub_group_size(4)]] { p[0] = 1; }
};
#define SIZED(n) [[sycl::reqd_work_group_size(n)]]

// CHECK-DAG: define {{.*}} @_ZTS1a({{.*}} !reqd_work_group_size ![[A:[0-9]+]] !work_group_num_dim ![[DIMS:[0-9]+]]
class a;
// CHECK-DAG: ![[A]] = !{i32 8, i32 4, i32 1}
// CHECK-DAG: ![[DIMS]] = !{i32 2}
// CHECK-DAG: define {{.*}} @_ZTS1b({{.*}} !intel_reqd_sub_group_size ![[B:[0-9]+]]
class b;
// CHECK-DAG: ![[B]] = !{i32 8}
// CHECK-DAG: define {{.*}} @_ZTS1c({{.*}} !reqd_work_group_size ![[C:[0-9]+]]
class c;
// CHECK-DAG: ![[C]] = !{i32 16, i32 1, i32 1}
// CHECK-DAG: define {{.*}} @_ZTS1d({{.*}} !intel_reqd_sub_group_size ![[D:[0-9]+]] !work_group_size_hint ![[C]]
class d;
// CHECK-DAG: ![[D]] = !{i32 4}
// CHECK-DAG: define {{.*}} @_ZTS1e({{.*}} !intel_reqd_sub_group_size ![[D]]
class e;
// Larger than any device's, and than what 64 signed bits hold.
// CHECK-DAG: define {{.*}} @_ZTS4huge({{.*}} !reqd_work_group_size ![[HUGE:[0-9]+]]
class huge;
// CHECK-DAG: ![[HUGE]] = !{i32 -1, i32 1, i32 1}

// CHECK-DAG: define {{.*}} @_Z11uses_halvesv({{.*}} !intel_declared_aspects ![[FP16:[0-9]+]] !intel_used_aspects ![[FP16]]
// CHECK-DAG: ![[FP16]] = !{i32 5}
[[sycl::device_has(sycl::aspect::fp16)]] SYCL_EXTERNAL float uses_halves() {
  _Float16 half = 1;
  return half;
}
// CHECK-DAG: define {{.*}} @_Z12uses_doublesPd({{.*}} !intel_used_aspects ![[FP64:[0-9]+]]
// CHECK-DAG: ![[FP64]] = !{i32 6}
SYCL_EXTERNAL void uses_doubles(double *p) { p[0] += 1; }
// CHECK-DAG: define {{.*}} @_Z12uses_floatinPf({{[^!]*}} !intel_fixed_targets ![[EMPTY:[0-9]+]] {
SYCL_EXTERNAL void uses_floatin(float *p) { p[0] += static_cast<float>(1.0); }
// CHECK-DAG: define {{.*}} @_Z14uses_decoratedv({{.*}} !intel_used_aspects ![[ATOMIC:[0-9]+]]
// CHECK-DAG: ![[ATOMIC]] = !{i32 28}
// CHECK-DAG: !intel_types_that_use_aspects = !{![[TYPE:[0-9]+]]{{.*}}}
// CHECK-DAG: ![[TYPE]] = !{!"struct.library::decorated", i32 28}
SYCL_EXTERNAL int uses_decorated() {
  library::decorated value{1};
  return value.i;
}
// CHECK-DAG: define {{.*}} @_Z9annotatedv({{.*}} !intel_used_aspects ![[BOTH:[0-9]+]]
// CHECK-DAG: ![[BOTH]] = !{i32 5, i32 6}
[[sycl_detail::uses_aspects(sycl::aspect::fp64, sycl::aspect::fp16)]] SYCL_EXTERNAL void annotated() {}
// CHECK-DAG: define {{.*}} @_Z7nothingv({{.*}} !intel_declared_aspects ![[NONE:[0-9]+]]
// CHECK-DAG: ![[NONE]] = !{}
[[sycl::device_has()]] SYCL_EXTERNAL void nothing() {}

void submit(sycl::queue &q, int *p) {
  q.parallel_for<a>(sycl::nd_range<2>({4, 8}, {4, 8}), [=](sycl::nd_item<2>) mutable noexcept [[sycl::reqd_work_group_size(4, 8)]] { p[0] = 1; });
  q.parallel_for<huge>(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(~0ull)]] { p[0] = 1; });
  q.single_task<b>(Functor{p});
  q.parallel_for<c>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1>) SIZED(16) { p[0] = 1; });
  q.parallel_for<d>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1>) [[using sycl: reqd_sub_group_size(4), work_group_size_hint(16)]] -> void { p[0] = 1; });
  q.single_task<e>(Trailing{p});
}

// A wrapper of the headers has the attributes of the wrapped function. One work-item runs a
// work-group of a hierarchical kernel. Reductions over a range use the required size.
// CHECK-DAG: define {{.*}} @_ZTS12hierarchical({{.*}} !intel_declared_aspects ![[FP16]] {{.*}}!intel_reqd_sub_group_size ![[D]] !reqd_work_group_size ![[ONE:[0-9]+]] {{.*}}!scythe_logical_work_group_size ![[LOGICAL:[0-9]+]]
class hierarchical;
// CHECK-DAG: ![[LOGICAL]] = !{i32 4, i32 8}
// CHECK-DAG: ![[ONE]] = !{i32 1, i32 1, i32 1}
// CHECK-DAG: define {{.*}} @_ZTS8any_size({{.*}} !reqd_work_group_size ![[ONE]] {{.*}}!scythe_logical_work_group_size ![[NONE]]
class any_size;
// CHECK-DAG: define {{.*}} @_ZTS7summing({{.*}} !intel_reqd_sub_group_size ![[D]] {{.*}}!reqd_work_group_size ![[C]]
class summing;
// CHECK-DAG: define {{.*}} @_ZTS11summing_all({{[^!]*}} !intel_declared_aspects ![[FP16]] {{.*}}!intel_fixed_targets ![[NONE]] !intel_reqd_sub_group_size ![[D]] !reqd_work_group_size ![[C]] {{.*}}!scythe_aspect_origins
class summing_all;

// Each kernel has the attributes of the call operator that it calls.
struct Several {
  [[sycl::reqd_sub_group_size(8)]] void operator()(sycl::group<1>) const {}
  [[sycl::reqd_sub_group_size(4)]] void operator()(sycl::nd_item<1>) const {}
};
// CHECK-DAG: define {{.*}} @_ZTS8of_items({{.*}} !intel_reqd_sub_group_size ![[D]]
class of_items;
// CHECK-DAG: define {{.*}} @_ZTS9of_groups({{.*}} !intel_reqd_sub_group_size ![[B]]
class of_groups;

void wrapped(sycl::queue &q, int *sum) {
  q.submit([&](sycl::handler &h) {
    h.parallel_for_work_group<hierarchical>(
        sycl::range(1, 1), sycl::range(4, 8),
        [](sycl::group<2>) [[sycl::reqd_work_group_size(4, 8), sycl::reqd_sub_group_size(4), sycl::device_has(sycl::aspect::fp16)]] {});
  });
  q.submit([&](sycl::handler &h) { h.parallel_for_work_group<any_size>(sycl::range(1), [](sycl::group<1>) {}); });
  const auto total = sycl::reduction(sum, sycl::plus<int>());
  q.parallel_for<summing>(sycl::nd_range<1>(16, 16), total,
                          [](sycl::nd_item<1>, auto &sum) [[sycl::reqd_work_group_size(16), sycl::reqd_sub_group_size(4)]] { sum += 1; });
  q.parallel_for<summing_all>(sycl::range(16), total,
                              [](sycl::id<1>, auto &sum) [[sycl::reqd_work_group_size(16), sycl::reqd_sub_group_size(4), sycl::device_has(sycl::aspect::fp16)]] { sum += 1; });
  q.submit([&](sycl::handler &h) { h.parallel_for_work_group<of_groups>(sycl::range(1), Several{}); });
  q.parallel_for<of_items>(sycl::nd_range<1>(1, 1), Several{});
}
