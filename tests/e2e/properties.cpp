// Compile-time properties: lists do not depend on order, programs add their own, and what kernels,
// accessors and pointers are given by them takes effect; and the device takes its own branch of
// if_device_has.
//
// LEVELS: O2
// BACKENDS: cpu,opencl
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace oneapi = sycl::ext::oneapi;
namespace experimental = sycl::ext::oneapi::experimental;

namespace program {

// A property with a value, one without, and one that only the host knows.
struct stripes {
  static constexpr const char *meta_name = "my-stripes";
  template <int N> using value_t = oneapi::property_value<stripes, std::integral_constant<int, N>>;
};
template <int N> inline constexpr stripes::value_t<N> stripes_v{};
struct shiny {
  static constexpr const char *meta_name = "my-shiny";
  using value_t = oneapi::property_value<shiny>;
};
inline constexpr shiny::value_t shiny_v{};
struct label {
  using key_t = label;
  int number = 0;
};

using both = decltype(oneapi::property_list{stripes_v<3>, shiny_v});
static_assert(std::is_same_v<both, decltype(oneapi::property_list{shiny_v, stripes_v<3>})>);
static_assert(std::is_same_v<both, oneapi::property_list_t<shiny::value_t, stripes::value_t<3>>>);
static_assert(!std::is_same_v<both, decltype(oneapi::property_list{stripes_v<4>, shiny_v})>);
static_assert(
    std::is_same_v<decltype(experimental::properties{stripes_v<3>, oneapi::no_alias_v, shiny_v}),
                   decltype(experimental::properties{oneapi::no_alias_v, shiny_v, stripes_v<3>})>);
static_assert(both::has_property<stripes>() && !both::has_property<oneapi::no_alias>());
static_assert(both{}.get_property<stripes>().value == 3);
static_assert(std::is_empty_v<both> && oneapi::is_property_list_v<both> &&
              !oneapi::is_property_list_v<int>);
static_assert(oneapi::work_group_size_v<2, 4>[1] == 4);

struct by_member {
  int *out;
  static constexpr auto properties =
      oneapi::property_list{oneapi::work_group_size_v<4>, oneapi::sub_group_size_v<4>};
  void operator()(sycl::nd_item<1> it) const {
    out[it.get_global_id(0)] = static_cast<int>(it.get_local_range(0));
  }
};
struct by_get {
  int *out;
  auto get(experimental::properties_tag) const {
    return experimental::properties{experimental::work_group_size<4>};
  }
  void operator()(sycl::nd_item<1> it) const {
    out[it.get_global_id(0)] = static_cast<int>(it.get_local_range(0));
  }
};

// Properties that lists carry for the host.
void values() {
  const oneapi::property_list list{stripes_v<5>, label{7}};
  CHECK(list.get_property<label>().number == 7);
  CHECK(oneapi::property_list(label{8}, stripes_v<5>).get_property<label>().number == 8);
}

void kernels(sycl::queue &q, int *out) {
  for (int i = 0; i < 16; ++i)
    out[i] = 0;
  q.parallel_for(sycl::nd_range<1>(8, 4), by_member{out}).wait();
  q.parallel_for(sycl::nd_range<1>(8, 4), by_get{out + 8}).wait();
  for (int i = 0; i < 16; ++i)
    CHECK(out[i] == 4);

  q.single_task(oneapi::property_list{stripes_v<1>}, [=] { out[0] = 11; }).wait();
  q.parallel_for(sycl::range<1>(2), experimental::properties{shiny_v}, [=](sycl::id<1> i) {
     out[1 + i[0]] = 12;
   }).wait();
  q.submit([&](sycl::handler &h) {
     h.parallel_for(sycl::range<2>(1, 2),
                    oneapi::property_list{experimental::work_group_size_hint<1, 2>},
                    [=](sycl::id<2> i) { out[3 + i[1]] = 13; });
   }).wait();
  sycl::event first = q.submit(
      [&](sycl::handler &h) { h.single_task(oneapi::property_list{}, [=] { out[5] = 14; }); });
  q.parallel_for(sycl::nd_range<1>(2, 2), first,
                 oneapi::property_list{oneapi::work_group_size_v<2>},
                 [=](sycl::nd_item<1> it) { out[6 + it.get_local_id(0)] = out[5] + 1; })
      .wait();
  q.single_task({first}, oneapi::property_list{shiny_v}, [=] { out[8] = out[6]; }).wait();
  CHECK(out[6] == 15 && out[7] == 15 && out[8] == 15);
  CHECK(out[0] == 11 && out[1] == 12 && out[2] == 12 && out[3] == 13 && out[4] == 13 &&
        out[5] == 14);
}

#ifndef SCYTHE_HOST_MODE
// A kernel that requires a size has no other.
void required_sizes(sycl::queue &q, int *out) {
  CHECK(check::throws(sycl::errc::nd_range,
                      [&] { q.parallel_for(sycl::nd_range<1>(8, 8), by_member{out}).wait(); }));
  auto kernel = [=](sycl::nd_item<1>) { out[0] = 1; };
  const oneapi::property_list sized{oneapi::work_group_size_v<2>};
  // Not inside of CHECK: compilers differ in the line of a call in a macro of several lines, by
  // which the kernel without a name is found.
  const auto launch = [&] { q.parallel_for(sycl::nd_range<1>(8, 4), sized, kernel).wait(); };
  CHECK(check::throws(sycl::errc::nd_range, launch));
}

// The size of a sub-group is the one that was asked for, on devices that have it.
template <std::uint32_t Size> void sub_groups(sycl::queue &q, int *out) {
  const auto sizes = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  if (std::find(sizes.begin(), sizes.end(), Size) == sizes.end())
    return;
  q.parallel_for(sycl::nd_range<1>(64, 64), oneapi::property_list{oneapi::sub_group_size_v<Size>},
                 [=](sycl::nd_item<1> it) {
                   if (it.get_local_id(0) == 0)
                     out[0] = static_cast<int>(it.get_sub_group().get_max_local_range()[0]);
                 })
      .wait();
  CHECK(out[0] == static_cast<int>(Size));
}

#endif

// The branch of the device that runs it.
void branches(sycl::queue &q, int *out) {
  using experimental::architecture;
  using sycl::aspect;
  q.single_task([=] {
     experimental::if_device_has<aspect::ext_intel_x86_64>([=] {
       out[0] = 1;
     }).else_if_device_has<aspect::ext_intel_gpu_pvc>([=] {
         out[0] = 2;
       }).else_device([=](int last) { out[0] = last; }, 3);
     experimental::if_architecture_is<architecture::intel_gpu_pvc, architecture::x86_64>([=] {
       out[1] = 1;
     }).otherwise([=] { out[1] = 2; });
   }).wait();
#ifdef SCYTHE_HOST_MODE
  CHECK(out[0] == 3 && out[1] == 2);
#else
  const sycl::device device = q.get_device();
  const bool x86 = device.has(aspect::ext_intel_x86_64),
             pvc = device.has(aspect::ext_intel_gpu_pvc);
  CHECK(out[0] == (x86 ? 1 : pvc ? 2 : 3));
  CHECK(out[1] == (x86 || pvc ? 1 : 2));
  CHECK(device.ext_oneapi_architecture_is(architecture::x86_64) == x86);
  // The architecture of a CPU is known by every backend that has one.
  if (device.is_cpu())
    CHECK(x86);
#endif
}

void accessors(sycl::queue &q) {
  sycl::buffer<int> a(sycl::range<1>(8)), b(sycl::range<1>(8));
  q.submit([&](sycl::handler &h) {
    sycl::accessor to(a, h, sycl::write_only,
                      oneapi::property_list{oneapi::no_alias_v, stripes_v<2>});
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { to[i] = static_cast<int>(i[0]) * 2; });
  });
  q.submit([&](sycl::handler &h) {
    sycl::accessor from(a, h, sycl::read_only, experimental::properties{oneapi::no_alias_v});
    sycl::accessor to(b, h, oneapi::property_list{oneapi::no_alias_v}, {sycl::no_init});
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { to[i] = from[i] + 1; });
  });
  std::vector<int> copy(8);
  q.submit([&](sycl::handler &h) {
     sycl::accessor from(b, h, oneapi::property_list{shiny_v});
     h.copy(from, copy.data());
   }).wait();
  for (int i = 0; i < 8; ++i)
    CHECK(copy[i] == 2 * i + 1);
}

void annotated(sycl::queue &q, int *out) {
  oneapi::annotated_ptr pointer(out, oneapi::property_list{oneapi::alignment_v<16>, stripes_v<9>});
  static_assert(decltype(pointer)::get_property<stripes>().value == 9);
  oneapi::annotated_arg scale(3, oneapi::property_list{stripes_v<1>});
  oneapi::annotated_ptr<int, decltype(experimental::properties{stripes_v<1>})> other(out);
  for (int i = 0; i < 16; ++i)
    out[i] = i;
  q.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) {
     pointer[static_cast<std::ptrdiff_t>(i[0])] *= scale;
     if (i[0] == 0)
       *(pointer + 0) += 1;
   }).wait();
  q.single_task([=] { other[1] += scale.get(); }).wait();
  CHECK(out[0] == 1 && out[1] == 6);
  for (int i = 2; i < 16; ++i)
    CHECK(out[i] == 3 * i);
}

// Device copyable by decree, and templates of which operators are found by deduction.
struct decreed {
  int a, b;
  decreed(int x = 0, int y = 0) : a(x), b(y) {}
  decreed(const decreed &other) : a(other.a), b(other.b) {}
};
template <class T> struct box {
  T v;
  T operator[](int i) const { return v + i; }
};
template <class T> box<T> operator+(const box<T> &a, const box<T> &b) { return {a.v + b.v}; }
template <class T> box<T> operator*(T a, const box<T> &b) { return {a * b.v}; }
template <class T> bool operator==(const box<T> &a, const box<T> &b) { return a.v == b.v; }
template <class T> box<T> operator-(const box<T> &a) { return {-a.v}; }

} // namespace program

template <> struct sycl::is_device_copyable<program::decreed> : std::true_type {};

namespace program {

void annotated_values(sycl::queue &q, int *out) {
  oneapi::annotated_arg<decreed> a(decreed(3, 4));
  oneapi::annotated_arg b(box<int>{5}, experimental::properties{stripes_v<1>});
  experimental::annotated_arg<int, decltype(experimental::properties{stripes_v<2>})> i(6);
  oneapi::annotated_arg vector(sycl::int4(1, 2, 3, 4));
  static_assert(sycl::is_device_copyable_v<decltype(a)> &&
                !std::is_trivially_copyable_v<decltype(a)>);
  q.single_task([=] {
     const decreed x = a;
     out[0] = x.a * 10 + x.b;
     out[1] = (b + b).v;
     out[2] = (3 * b).v;
     out[3] = b == b;
     out[4] = (-b).v;
     out[5] = b[2];
     out[6] = (box<int>{1} + b).v;
     out[7] = (vector + vector)[3] + (vector * 2)[1];
     out[8] = i * 2 + i;
     out[9] = (7 == i) + (i << 1) - (-i);
   }).wait();
  const int expected[] = {34, 10, 15, 1, -5, 7, 6, 12, 18, 18};
  for (int k = 0; k < 10; ++k)
    CHECK(out[k] == expected[k]);
}

} // namespace program

int main() {
  using namespace program;
  sycl::queue q;
  int *out = sycl::aligned_alloc_shared<int>(16, 16, q);
  values();
  kernels(q, out);
#ifndef SCYTHE_HOST_MODE
  required_sizes(q, out);
  sub_groups<8>(q, out);
  sub_groups<16>(q, out);
#endif
  branches(q, out);
  accessors(q);
  annotated(q, out);
  annotated_values(q, out);
  sycl::free(out, q);
  return check::result();
}
