// Properties of members, and lists that are no lists: one error each.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi;

struct member {
  int *p [[__sycl_detail__::add_ir_member_annotation("a", "b", 1)]]; // ERROR: 'add_ir_member_annotation' takes the names of properties and then as many values, but has an odd number of arguments (3) [scythe-E0150]
};
int changes = 3;
struct [[__sycl_detail__::add_ir_kernel_parameter_attributes("x", changes)]] varies { int value; }; // ERROR: argument 2 of '__sycl_detail__::add_ir_kernel_parameter_attributes' must be a constant expression [scythe-E0143]

int main() {
  sycl::queue q;
  q.single_task<class k>([=] {});
}
