// Device variables carry their device names, sizes and properties.
// RUN: device-ir -O1 -Wall -Wextra -Werror %s | FileCheck %s
#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi;
using namespace sycl::ext::oneapi::experimental;

// As in the design document, in the older spelling.
oneapi::device_global<int, oneapi::property_list_t<oneapi::device_image_scope::value_t,
                                                   oneapi::host_access::value_t<oneapi::host_access::access::read>>>
    dm1;
static device_global<int[4]> dm2;
namespace program {
inline device_global<float, decltype(properties(init_mode_reset, implement_in_csr_on, host_access_none))> dm3;
}
SYCL_EXTERNAL extern device_global<double> dm4;

// CHECK-DAG: @dm1 = weak_odr {{.*}}addrspace(1) externally_initialized global {{.*}}zeroinitializer, align 4 #[[DM1:[0-9]+]]
// CHECK-DAG: @_ZL3dm2.tu.00000000000000ab = weak_odr {{.*}}addrspace(1) externally_initialized global {{.*}} #[[DM2:[0-9]+]]
// CHECK-DAG: @_ZN7program3dm3E = weak_odr {{.*}}addrspace(1) externally_initialized global {{.*}} #[[DM3:[0-9]+]]
// CHECK-DAG: @dm4 = external {{.*}}addrspace(1) global {{.*}} #[[DM4:[0-9]+]]
// CHECK-DAG: #[[DM1]] = { "sycl-device-global-size"="4" "sycl-device-image-scope" "sycl-host-access"="read" {{.*}}="dm1" }
// CHECK-DAG: #[[DM2]] = { "sycl-device-global-size"="16" "sycl-unique-id"="_ZL3dm2.tu.00000000000000ab" }
// CHECK-DAG: #[[DM3]] = { {{.*}}"sycl-host-access"="none" "sycl-implement-in-csr"="true" "sycl-init-mode"="reset" {{.*}}
// CHECK-DAG: #[[DM4]] = { "sycl-device-global-size"="8" "sycl-unique-id"="dm4" }

int main() {
  sycl::queue q;
  q.single_task<class k>([=] {
    dm1 = dm2[1];
    program::dm3 = static_cast<float>(dm4);
  });
}
