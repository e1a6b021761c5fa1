// Each category of use of compile-time properties as a header would write it, with conditional
// compilation between a name and its attribute.
// RUN: device-ir -O0 -Wall -Wextra -Werror %s | FileCheck %s
#include <sycl/sycl.hpp>

template <class... Props> struct list {};

struct image_scope {
  static constexpr const char *meta_name = "sycl-device-image-scope";
  static constexpr const char *meta_value = "";
};
struct host_reads {
  static constexpr const char *meta_name = "sycl-host-access";
  static constexpr const char *meta_value = "read";
};
struct foo {
  static constexpr const char *meta_name = "foo";
  static constexpr const char *meta_value = "";
};
struct bar {
  static constexpr const char *meta_name = "bar";
  static constexpr int meta_value = 32;
};

// On the type of a global variable.
template <class T, class PropertyList = list<>> class variable;
template <class T, class... Props>
class
#ifdef __SYCL_DEVICE_ONLY__
    [[__sycl_detail__::add_ir_global_variable_attributes(Props::meta_name..., Props::meta_value...)]]
#endif
    variable<T, list<Props...>> {
public:
  constexpr variable(T v) : value(v) {}
  T value;
};
// CHECK-DAG: @dm1 = {{.*}} #[[DM1:[0-9]+]]
// CHECK-DAG: attributes #[[DM1]] = { "sycl-device-image-scope" "sycl-host-access"="read" }
extern const variable<int, list<image_scope, host_reads>> dm1;
constexpr variable<int, list<image_scope, host_reads>> dm1(1);

// On a class that kernels capture. As a plain variable it carries nothing.
template <class T, class PropertyList = list<>> class view;
template <class T, class... Props>
class
#ifdef __SYCL_DEVICE_ONLY__
    [[__sycl_detail__::add_ir_kernel_parameter_attributes(Props::meta_name..., Props::meta_value...)]]
#endif
    view<T, list<Props...>> {
public:
  T *data;
};
// CHECK-DAG: define {{.*}} @_ZTS8captured(i32 noundef %{{[^,]*}}, ptr addrspace(1) noundef "bar"="32" "foo" %{{[^,]*}})
class captured;

// On the function that a wrapper gives a kernel.
template <class K, class PropertyList> class wrapper;
template <class K, class... Props> class wrapper<K, list<Props...>> {
  K k;

public:
  wrapper(K k) : k(k) {}
#ifdef __SYCL_DEVICE_ONLY__
  [[__sycl_detail__::add_ir_function_attributes(Props::meta_name..., Props::meta_value...)]]
#endif
  void operator()() const {
    k();
  }
};
// CHECK-DAG: define {{.*}} @_ZTS7wrapped({{.*}}) #[[WRAPPED:[0-9]+]]
// CHECK-DAG: attributes #[[WRAPPED]] = {{{.*}}"bar"="32" {{.*}}"foo"
class wrapped;

// On a member: each access to it is annotated.
template <class T, class PropertyList = list<>> class pointer;
template <class T, class... Props> class pointer<T, list<Props...>> {
  T *ptr
#ifdef __SYCL_DEVICE_ONLY__
      [[__sycl_detail__::add_ir_member_annotation(Props::meta_name..., Props::meta_value...)]]
#endif
      ;

public:
  pointer(T *p) : ptr(p) {}
  T &operator*() const { return *ptr; }
};
// CHECK-DAG: @[[TEXT:[.a-z0-9]+]] = private {{.*}} [27 x i8] c"sycl-properties:foo,bar=32\00", section "llvm.metadata"
// CHECK-DAG: call {{.*}} @llvm.ptr.annotation.{{.*}}@[[TEXT]]
SYCL_EXTERNAL void annotates(int *p) {
  pointer<int, list<foo, bar>> aptr(p);
  *aptr = 1;
  pointer<int, list<>> plain(p);
  *plain = dm1.value;
}

void submit(sycl::queue &q, int *p) {
  view<int, list<foo, bar>> v{p};
  int i = 1;
  q.single_task<captured>([i, v] { v.data[0] = i; });
  auto kernel = [p] { p[0] = 2; };
  q.single_task<wrapped>(wrapper<decltype(kernel), list<foo, bar>>(kernel));
}
