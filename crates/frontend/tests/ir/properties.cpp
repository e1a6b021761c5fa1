// User-defined compile-time properties reach IR through the attributes and the headers' classes.
// RUN: device-ir -O0 -Wall -Wextra -Werror %s | FileCheck %s
#include <sycl/sycl.hpp>

#include <tuple>

namespace oneapi = sycl::ext::oneapi;

// Classes that the compiler has never seen, with attributes as headers write them.
enum class mode { slow = 3, fast = 7 };
struct plain {
  static constexpr const char *meta_name = "my-plain";
  static constexpr const char *meta_value = "";
};
struct number {
  static constexpr char meta_name[] = "my-number";
  static constexpr long meta_value = -32;
};

template <class T, class... Props>
class [[__sycl_detail__::add_ir_global_variable_attributes(Props::meta_name..., Props::meta_value...)]] table {
public:
  T value;
};
// CHECK-DAG: @_ZL3one = {{.*}} #[[ONE:[0-9]+]]
// CHECK-DAG: @_ZL4many = {{.*}} #[[ONE]]
// CHECK-DAG: attributes #[[ONE]] = { "my-number"="-32" "my-plain" }
static constexpr table<int, plain, number> one{1};
static constexpr table<int, plain, number> many[2] = {{2}, {3}};
// Decorated types in other places are plain.
table<int, plain> unused;

// CHECK-DAG: define {{.*}} @_Z5valuev() #[[VALUES:[0-9]+]]
// CHECK-DAG: attributes #[[VALUES]] = {{{.*}} "p-bool"="true" "p-char"="q" "p-enum"="7" "p-float"="1.500000" "p-text"="text" "p-tuple"="8,4,x" "p-unsigned"="18446744073709551615"
constexpr std::tuple<int, unsigned, char> sizes(8, 4, 'x');
[[__sycl_detail__::add_ir_function_attributes("p-bool", "p-char", "p-enum", "p-float", "p-text", "p-tuple",
                                              "p-unsigned", true, 'q', mode::fast, 1.5f, "text", sizes, ~0ul)]]
SYCL_EXTERNAL int value() {
  return one.value + many[1].value;
}

template <class... Props>
struct [[__sycl_detail__::add_ir_kernel_parameter_attributes(Props::meta_name..., Props::meta_value...)]] argument {
  int *p;
};

// CHECK-DAG: define {{.*}} @_ZTS10parameters(ptr addrspace(1) noundef "my-number"="-32" "my-plain" %{{[^,]*}}, i32 noundef %
class parameters;
// CHECK-DAG: define {{.*}} @_ZTS9accessors(ptr addrspace(1) noalias noundef "my-foo"="32" "sycl-no-alias" %{{[^,]*}}, ptr noundef byval(
class accessors;
// CHECK-DAG: define {{.*}} @_ZTS7sizes_k({{.*}} !intel_declared_aspects ![[FP16:[0-9]+]] {{.*}}!intel_reqd_sub_group_size ![[SUB:[0-9]+]] !reqd_work_group_size ![[GROUP:[0-9]+]] !work_group_num_dim ![[DIMS:[0-9]+]]
class sizes_k;
// CHECK-DAG: ![[FP16]] = !{i32 5}
// CHECK-DAG: ![[SUB]] = !{i32 8}
// CHECK-DAG: ![[GROUP]] = !{i32 4, i32 2, i32 1}
// CHECK-DAG: ![[DIMS]] = !{i32 2}
// CHECK-DAG: define {{.*}} @_ZTS6member({{.*}} !intel_reqd_sub_group_size ![[SUB]]
// CHECK-DAG: define {{.*}} @_ZTS6getter({{.*}} !intel_reqd_sub_group_size ![[SUB]]
struct member {
  int *p;
  static constexpr auto properties = oneapi::property_list{oneapi::sub_group_size_v<8>};
  void operator()() const { p[0] = 1; }
};
struct getter {
  int *p;
  auto get(oneapi::experimental::properties_tag) const {
    return oneapi::experimental::properties{oneapi::experimental::sub_group_size<8>};
  }
  void operator()() const { p[0] = 1; }
};

// A property by the headers' way, also for annotated pointers.
struct foo {
  static constexpr const char *meta_name = "my-foo";
  template <int N> using value_t = oneapi::property_value<foo, std::integral_constant<int, N>>;
};
template <int N> inline constexpr foo::value_t<N> foo_v{};
// CHECK-DAG: c"sycl-properties:my-foo=3,sycl-alignment=16\00", section "llvm.metadata"
// CHECK-DAG: call {{.*}} @llvm.ptr.annotation.
// CHECK-DAG: define {{.*}} @_ZTS9annotated(ptr addrspace(1) noundef align 16 "my-foo"="3" "sycl-alignment"="16" %
class annotated;

void submit(sycl::queue &q, sycl::buffer<int> &buffer, int *p) {
  argument<plain, number> a{p};
  int i = 1;
  q.single_task<parameters>([=] { a.p[0] = i; });
  q.submit([&](sycl::handler &h) {
    sycl::accessor acc(buffer, h, oneapi::property_list{oneapi::no_alias_v, foo_v<32>});
    h.single_task<accessors>([=] { acc[0] = 1; });
  });
  q.parallel_for<sizes_k>(sycl::nd_range<2>({2, 4}, {2, 4}),
                          oneapi::property_list{oneapi::work_group_size_v<2, 4>, oneapi::sub_group_size_v<8>,
                                                oneapi::device_has_v<sycl::aspect::fp16>},
                          [=](sycl::nd_item<2>) { p[0] = 1; });
  q.single_task(member{p});
  q.single_task(getter{p});
  oneapi::annotated_ptr pointer(p, oneapi::property_list{foo_v<3>, oneapi::alignment_v<16>});
  q.single_task<annotated>([=] { pointer[0] = 1; });
}
