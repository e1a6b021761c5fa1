// The default sub-group size is for kernels and SYCL_EXTERNAL functions that specify none.
// RUN: device-ir -O0 -fplugin-arg-scythe-default-sub-group-size=16 %s | FileCheck %s
// RUN: device-ir -O0 -fplugin-arg-scythe-default-sub-group-size=primary %s | \
// RUN:   FileCheck --check-prefix=NAMED %s
// RUN: device-ir -O0 %s | FileCheck --check-prefix=NONE %s
#include <sycl/sycl.hpp>

// CHECK-DAG: define {{.*}} @_ZTS5plain({{.*}} !intel_reqd_sub_group_size ![[DEFAULT:[0-9]+]]
// NAMED-DAG: define {{.*}} @_ZTS5plain({{.*}} !intel_named_sub_group_size ![[PRIMARY:[0-9]+]]
class plain;
// CHECK-DAG: define {{.*}} @_ZTS3own({{.*}} !intel_reqd_sub_group_size ![[OWN:[0-9]+]]
// NAMED-DAG: define {{.*}} @_ZTS3own({{.*}} !intel_reqd_sub_group_size
// NONE-DAG: define {{.*}} @_ZTS3own({{.*}} !intel_reqd_sub_group_size
class own;
// CHECK-DAG: define {{.*}} @_ZTS5named({{.*}} !intel_named_sub_group_size
class named;
// CHECK-DAG: define {{.*}} @_ZTS8property({{.*}} !intel_reqd_sub_group_size ![[OWN]]
class property;
// CHECK-DAG: define {{.*}} @_Z8externalv({{.*}} !intel_reqd_sub_group_size ![[DEFAULT]]
// NAMED-DAG: define {{.*}} @_Z8externalv({{.*}} !intel_named_sub_group_size ![[PRIMARY]]
SYCL_EXTERNAL int external() { return 1; }
// CHECK-DAG: define {{.*}} @_Z12external_ownv({{.*}} !intel_reqd_sub_group_size ![[OWN]]
[[sycl::reqd_sub_group_size(8)]] SYCL_EXTERNAL int external_own() { return 1; }
// CHECK-DAG: ![[DEFAULT]] = !{i32 16}
// CHECK-DAG: ![[OWN]] = !{i32 8}
// NAMED-DAG: ![[PRIMARY]] = !{!"primary"}
// NONE-NOT: !{i32 16}

struct Sized {
  int *p;
  void operator()() const { p[0] = 1; }
  auto get(sycl::ext::oneapi::experimental::properties_tag) const {
    namespace ext = sycl::ext::oneapi::experimental;
    return ext::properties{ext::sub_group_size<8>};
  }
};

void launch(sycl::queue &q, int *p) {
  q.single_task<plain>([=] { p[0] = 1; });
  q.single_task<own>([=]() [[sycl::reqd_sub_group_size(8)]] { p[0] = 1; });
  q.single_task<named>([=]() [[intel::named_sub_group_size(automatic)]] { p[0] = 1; });
  q.single_task<property>(Sized{p});
}
