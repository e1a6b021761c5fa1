// Attributes that list properties, used wrongly: one error each.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

int object;

[[__sycl_detail__::add_ir_function_attributes("a", "b", 1)]] SYCL_EXTERNAL void odd() {} // ERROR: 'add_ir_function_attributes' lists names and as many values, but has 3 argument(s)
[[__sycl_detail__::add_ir_function_attributes(1, "")]] SYCL_EXTERNAL void unnamed() {} // ERROR: 'add_ir_function_attributes': argument 1 is the name of a property and must be text
[[__sycl_detail__::add_ir_function_attributes("a", &object)]] SYCL_EXTERNAL void pointer() {} // ERROR: property 'a' has a value of type 'int *', expected text, a number
[[__sycl_detail__::add_ir_function_attributes("a", "a", 1, 2)]] SYCL_EXTERNAL void twice() {} // ERROR: property 'a' is given twice

template <class T> struct [[__sycl_detail__::add_ir_kernel_parameter_attributes("x")]] argument { T value; }; // ERROR: 'add_ir_kernel_parameter_attributes' lists names and as many values, but has 1 argument(s)
struct [[__sycl_detail__::add_ir_global_variable_attributes("y")]] constant { int value; }; // ERROR: 'add_ir_global_variable_attributes' lists names and as many values, but has 1 argument(s)
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
