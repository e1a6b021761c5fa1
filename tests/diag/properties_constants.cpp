// Arguments of attributes and values of properties that are not constants: one error each.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

int object;
const char *name = "x";
template <int N> constexpr int constant = N;

[[__sycl_detail__::add_ir_function_attributes("a", object)]] SYCL_EXTERNAL void changes() {} // ERROR: argument 2 of '__sycl_detail__::add_ir_function_attributes' must be a constant expression [scythe-E0143]
[[__sycl_detail__::add_ir_function_attributes(name, 1)]] SYCL_EXTERNAL void renamed() {} // ERROR: argument 1 of '__sycl_detail__::add_ir_function_attributes' must be a constant expression [scythe-E0143]
[[sycl::reqd_sub_group_size(object)]] SYCL_EXTERNAL void sized() {} // ERROR: argument 1 of 'sycl::reqd_sub_group_size' must be a constant expression [scythe-E0143]
[[__sycl_detail__::add_ir_function_attributes("a", constant<3>)]] SYCL_EXTERNAL void fine() {}
// What is not ours keeps clang's words.
[[clang::annotate("other", object)]] void others() {} // ERROR: 'clang::annotate' attribute requires parameter 1 to be a constant expression

struct Varies {
  static constexpr const char *meta_name = "varies";
  static inline int meta_value = 3;
};
template <class... Props> class SCYTHE_PROPERTIES("kernel_parameter_attributes", Props) Listed {}; // ERROR: the value of a property must be a constant expression [scythe-E0154]
Listed<Varies> listed;
