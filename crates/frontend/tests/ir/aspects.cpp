// What kernels need, from the source to the metadata that images are made from.
// RUN: device-ir -O2 %s | FileCheck %s
#include <sycl/sycl.hpp>

float deep(float x) { return x * 4.0; }
float middle(float x) { return deep(x) + 1; }
template <sycl::aspect... As> struct Demands {
  float *p;
  [[sycl::device_has(As...)]] void operator()() const { p[0] = 1; }
};
[[__sycl_detail__::__uses_aspects__(sycl::aspect::image)]] SYCL_EXTERNAL void uses_images();
[[sycl::device_has(sycl::aspect::fp16)]] SYCL_EXTERNAL void uses_halves();
using counter = sycl::atomic_ref<long, sycl::memory_order::relaxed, sycl::memory_scope::device>;
using narrow = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>;

// A stray literal two calls down is found, with its place.
// CHECK-DAG: define {{.*}} @_ZTS5stray({{.*}} !intel_used_aspects ![[FP64:[0-9]+]] !intel_fixed_targets ![[NONE:[0-9]+]] !scythe_aspect_origins ![[STRAY:[0-9]+]]
// CHECK-DAG: ![[FP64]] = !{i32 6}
// CHECK-DAG: ![[NONE]] = !{}
// CHECK-DAG: ![[STRAY]] = !{!"fp64\09stray@aspects.cpp:50:44\09middle@aspects.cpp:6:32\09deep@aspects.cpp:5:34"}
class stray;
// CHECK-DAG: define {{.*}} @_ZTS5plain({{.*}}) {{[^!]*}} !intel_fixed_targets ![[NONE]] {
class plain;
// A pack of aspects, on a functor that uses none of them.
// CHECK-DAG: define {{.*}} @_ZTS7demands({{.*}} !intel_declared_aspects ![[TWO:[0-9]+]] !intel_used_aspects ![[TWO]]
// CHECK-DAG: ![[TWO]] = !{i32 5, i32 28}
class demands;
// References to 8 bytes use atomic64, those to 4 do not.
// CHECK-DAG: define {{.*}} @_ZTS4wide({{.*}} !intel_used_aspects ![[ATOMIC:[0-9]+]]
// CHECK-DAG: ![[ATOMIC]] = !{i32 28}
class wide;
// CHECK-DAG: define {{.*}} @_ZTS5small({{.*}}) {{[^!]*}} !intel_fixed_targets ![[NONE]] {
class small;
// What other translation units define is known by its declaration.
// CHECK-DAG: define {{.*}} @_ZTS6remote({{.*}} !intel_used_aspects ![[REMOTE:[0-9]+]]
// CHECK-DAG: ![[REMOTE]] = !{i32 5, i32 9}
class remote;
// CHECK-DAG: define {{.*}} @_ZTS5named({{.*}} !intel_named_sub_group_size ![[PRIMARY:[0-9]+]]
// CHECK-DAG: ![[PRIMARY]] = !{!"primary"}
class named;
// A pointer to an optional type needs no aspect until it is used. A captured value does.
// CHECK-DAG: define {{.*}} @_ZTS7pointer({{.*}}) {{[^!]*}} !intel_fixed_targets ![[NONE]] {
class pointer;
// CHECK-DAG: define {{.*}} @_ZTS8captured({{.*}} !intel_used_aspects ![[FP64]] !intel_fixed_targets ![[NONE]] !scythe_aspect_origins ![[CAPTURED:[0-9]+]]
// CHECK-DAG: ![[CAPTURED]] = !{!"fp64\09captured@aspects.cpp:61:27"}
class captured;
// CHECK-DAG: !{!"class.sycl::detail::atomic_ref_sized<long, {{[^"]*}}8UL>", i32 28}

void submit(sycl::queue &q, float *p, long *wide_counter, int *small_counter, double *d, double value) {
  q.single_task<stray>([=] { p[0] = p[1] + middle(p[2]); });
  q.single_task<plain>([=] { p[0] = p[1] * static_cast<float>(2.5) + 3.0f; });
  q.single_task<demands>(Demands<sycl::aspect::atomic64, sycl::aspect::fp16>{p});
  q.single_task<wide>([=] { counter(*wide_counter).fetch_add(1); });
  q.single_task<small>([=] { narrow(*small_counter).fetch_add(1); });
  q.single_task<remote>([=] {
    uses_images();
    uses_halves();
  });
  q.single_task<named>([=]() [[intel::named_sub_group_size(primary)]] { p[0] = 1; });
  q.single_task<pointer>([=] { p[0] = d == nullptr; });
  q.single_task<captured>([=] { p[0] = sizeof(value) + (&value != d); });
}
