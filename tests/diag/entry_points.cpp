// Kernel entry points that break the contract between the headers and the compiler.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

struct Functor {
  void operator()() const {}
};

[[clang::sycl_kernel_entry_point(class Number)]] [[clang::annotate("scythe::kernel", "single_task")]]
void number(int) {} // ERROR: kernel entry point must have exactly one parameter, an object of class type by value; its first parameter has type 'int' [scythe-E0126]
[[clang::sycl_kernel_entry_point(class Two)]] [[clang::annotate("scythe::kernel", "single_task")]]
void two(Functor, Functor) {} // ERROR: kernel entry point must have exactly one parameter, an object of class type by value; its first parameter has type 'Functor' [scythe-E0126]
[[clang::sycl_kernel_entry_point(class Shape)]] [[clang::annotate("scythe::kernel", "circle")]]
void shape(Functor functor) { functor(); } // ERROR: kernel entry point must be annotated with the shape 'single_task', 'range' or 'nd_range', not 'circle' [scythe-E0126]
