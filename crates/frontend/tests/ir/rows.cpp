// How captures become launch rows and parameters.
// RUN: device-ir -O0 %s | FileCheck %s
#include <sycl/sycl.hpp>

struct Plain {
  int a;
  float b;
};
struct Mixed {
  char c;
  float *p;
};
union Either {
  int i;
  float *p;
};
struct Bits {
  unsigned a : 3, b : 7;
  unsigned short c;
};
struct Base {
  double d;
};
struct Derived : Base {
  short s;
  Plain plain;
  int *pointers[2];
  void operator()() const { pointers[0][0] = s; }
};
struct Empty {};

// CHECK-DAG: define weak_odr spir_kernel void @_ZTS7scalars(i8 {{[^,]*}}, i16 {{[^,]*}}, i64 {{[^,]*}}, float {{[^,]*}}, double {{[^,]*}}, ptr addrspace(1) {{[^,]*}})
class scalars;
// CHECK-DAG: define weak_odr spir_kernel void @_ZTS7records(ptr {{.*}}byval([8 x i8]) align 4 {{[^,]*}}, i8 {{[^,]*}}, ptr addrspace(1) {{[^,]*}}, ptr {{.*}}byval([8 x i8]) align 8 {{[^,]*}}, ptr {{.*}}byval([4 x i8]) align 4 {{[^,]*}}, ptr addrspace(1) {{[^,]*}})
class records;
// CHECK-DAG: define weak_odr spir_kernel void @_ZTS7functor(double {{[^,]*}}, i16 {{[^,]*}}, ptr {{.*}}byval([8 x i8]) align 4 {{[^,]*}}, ptr addrspace(1) {{[^,]*}}, ptr addrspace(1) {{[^,]*}})
class functor;
// CHECK-DAG: define weak_odr spir_kernel void @_ZTS9accessors(ptr addrspace(1) {{[^,]*}}, ptr {{.*}}byval({{[^)]*}}) align 8 {{[^,]*}}, ptr addrspace(3) {{[^,]*}}, ptr {{.*}}byval({{[^)]*}}) align 8 {{[^,]*}})
class accessors;
// CHECK-DAG: define weak_odr spir_kernel void @_ZTS7nothing()
class nothing;

// CHECK-DAG: !{!"_ZTS7scalars", i32 0, i64 40, !"rows.cpp", i32 [[# @LINE + 8]], i32 26, i64 {{-?[0-9]+}}, i32 1, i64 1, i64 0, i32 1, i32 1, i64 2, i64 2, i32 2, i32 1, i64 8, i64 8, i32 4, i32 1, i64 4, i64 16, i32 7, i32 1, i64 8, i64 24, i32 8, i32 3, i64 8, i64 32, i32 0}
void submit(sycl::queue &q, sycl::buffer<float> &buffer) {
  float *p = nullptr;
  bool b = true;
  short s = 1;
  long l = 2;
  float f = 3;
  double d = 4;
  q.single_task<scalars>([b, s, l, f, d, p] { p[0] = b + s + l + f + d; });
  Plain plain{};
  Mixed mixed{};
  Either either{};
  Bits bits{};
  Empty empty{};
  q.single_task<records>([plain, mixed, either, bits, empty, p] {
    (void)empty;
    p[0] = plain.a + mixed.c + mixed.p[0] + either.i + bits.a + bits.c;
  });
  q.single_task<functor>(Derived{});
  // CHECK-DAG: !{!"_ZTS9accessors", i32 2, i64 {{[0-9]+}}, !"rows.cpp", i32 {{[0-9]+}}, i32 {{[0-9]+}}, i64 {{-?[0-9]+}}, i32 0, i64 8, i64 0, i32 0, i32 1, i64 {{[0-9]+}}, i64 8, i32 19, i32 4, i64 8, i64 {{[0-9]+}}, i32 0, i32 1, i64 {{[0-9]+}}, i64 {{[0-9]+}}, i32 19}
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(buffer, h, sycl::read_write);
    sycl::local_accessor<float, 1> local(sycl::range<1>(8), h);
    h.parallel_for<accessors>(sycl::nd_range<1>(8, 8), [a, local](sycl::nd_item<1> item) {
      local[item.get_local_id()] = 1;
      a[item.get_global_id()] = local[item.get_local_id()];
    });
  });
  q.parallel_for<nothing>(sycl::range<1>(8), [](sycl::id<1>) {});
}
