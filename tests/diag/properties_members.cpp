// Properties of members, and lists that are no lists: one error each.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi;

struct member {
  int *p [[__sycl_detail__::add_ir_member_annotation("a", "b", 1)]]; // ERROR: 'add_ir_member_annotation' lists names and as many values, but has 3 argument(s)
};
int changes = 3;
struct [[__sycl_detail__::add_ir_kernel_parameter_attributes("x", changes)]] varies { int value; }; // ERROR: argument 2 of '__sycl_detail__::add_ir_kernel_parameter_attributes' must be a constant expression

int main() {
  sycl::queue q;
  q.single_task<class k>([=] {});
}
