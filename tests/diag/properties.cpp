// Attributes that list properties, used wrongly: one error each.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

int object;

[[__sycl_detail__::add_ir_function_attributes("a", "b", 1)]] SYCL_EXTERNAL void odd() {} // ERROR: 'add_ir_function_attributes' takes the names of properties and then as many values, but has an odd number of arguments (3) [scythe-E0150]
[[__sycl_detail__::add_ir_function_attributes(1, "")]] SYCL_EXTERNAL void unnamed() {} // ERROR: argument 1 of 'add_ir_function_attributes' must be a string, the name of a property [scythe-E0151]
[[__sycl_detail__::add_ir_function_attributes("a", &object)]] SYCL_EXTERNAL void pointer() {} // ERROR: the value of property 'a' has type 'int *', which properties do not support: use a string, a number, a boolean, a character, an enumeration, or a tuple of these [scythe-E0152]
[[__sycl_detail__::add_ir_function_attributes("a", "a", 1, 2)]] SYCL_EXTERNAL void twice() {} // ERROR: property 'a' occurs twice in one list: remove one of them [scythe-E0153]

template <class T> struct [[__sycl_detail__::add_ir_kernel_parameter_attributes("x")]] argument { T value; }; // ERROR: 'add_ir_kernel_parameter_attributes' takes the names of properties and then as many values, but has an odd number of arguments (1) [scythe-E0150]
struct [[__sycl_detail__::add_ir_global_variable_attributes("y")]] constant { int value; }; // ERROR: 'add_ir_global_variable_attributes' takes the names of properties and then as many values, but has an odd number of arguments (1) [scythe-E0150]
static constexpr constant table[2] = {{1}, {2}};

// In other uses the attributes do nothing.
struct [[__sycl_detail__::add_ir_kernel_parameter_attributes("z")]] local { int value; };

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  argument<int *> a{p};
  int i = 1;
  q.single_task<class k>([=] {
    local inside{i};
    a.value[0] = table[inside.value].value;
  });
}
