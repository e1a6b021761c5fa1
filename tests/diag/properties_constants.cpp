// Arguments of attributes that are no constants: one error each, in the attribute's name.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

int object;
const char *name = "x";
template <int N> constexpr int constant = N;

[[__sycl_detail__::add_ir_function_attributes("a", object)]] SYCL_EXTERNAL void changes() {} // ERROR: argument 2 of '__sycl_detail__::add_ir_function_attributes' must be a constant expression
[[__sycl_detail__::add_ir_function_attributes(name, 1)]] SYCL_EXTERNAL void renamed() {} // ERROR: argument 1 of '__sycl_detail__::add_ir_function_attributes' must be a constant expression
[[sycl::reqd_sub_group_size(object)]] SYCL_EXTERNAL void sized() {} // ERROR: argument 1 of 'sycl::reqd_sub_group_size' must be a constant expression
[[__sycl_detail__::add_ir_function_attributes("a", constant<3>)]] SYCL_EXTERNAL void fine() {}
// What is not ours keeps clang's words.
[[clang::annotate("other", object)]] void others() {} // ERROR: 'clang::annotate' attribute requires parameter 1 to be a constant expression
