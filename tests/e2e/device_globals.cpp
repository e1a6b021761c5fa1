// Variables of device code: of every kind that can be declared, read and written by the host and by
// kernels, before and after kernels first use them, in each context apart, on every device.
//
// AHEAD: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cstring>
#include <vector>

using namespace sycl::ext::oneapi::experimental;
namespace oneapi = sycl::ext::oneapi;

struct point {
  int x, y;
  int sum() const { return x + y; }
};

device_global<int> plain;
static device_global<int[4]> array;
namespace {
device_global<point> unnamed;
}
namespace outer::inner {
inline device_global<float> shared;
}
struct holder {
  static device_global<int> member;
  static inline device_global<int[2][3]> table;
};
device_global<int> holder::member;
template <int N> device_global<int> numbered;
template <class T> struct typed {
  static device_global<T> value;
};
template <class T> device_global<T> typed<T>::value;
device_global<int *> address;
[[gnu::used]] device_global<int> untouched;
static device_global<int> kernels_only;
device_global<int, decltype(properties(device_image_scope))> scoped;
device_global<int, decltype(properties(host_access_read, init_mode_reset, implement_in_csr_on))>
    read_only;
// The older spelling.
oneapi::device_global<
    int, oneapi::property_list_t<oneapi::device_image_scope::value_t,
                                 oneapi::host_access::value_t<oneapi::host_access::access::write>>>
    older;

using scoped_t = decltype(scoped);
using read_only_t = decltype(read_only);
static_assert(scoped_t::has_property<device_image_scope_key>() &&
              !scoped_t::has_property<host_access_key>());
static_assert(read_only_t::get_property<host_access_key>() == host_access<host_access_enum::read>);
static_assert(read_only_t::get_property<implement_in_csr_key>().value);
static_assert(std::is_same_v<decltype(array)::element_type, int>);
static_assert(!std::is_copy_assignable_v<scoped_t> && !std::is_move_assignable_v<scoped_t>);
static_assert(is_property_key_of<init_mode_key, read_only_t>::value &&
              !is_property_key_of<point, read_only_t>::value);

template <class T, class L> T value(sycl::queue &q, const device_global<T, L> &global) {
  T out;
  q.copy(global, &out).wait();
  return out;
}

void before_any_kernel(sycl::queue &q) {
  CHECK(value(q, plain) == 0 && value(q, untouched) == 0);
  const int seven = 7;
  q.copy(&seven, plain).wait();
  q.memcpy(untouched, &seven).wait();
  CHECK(value(q, plain) == 7 && value(q, untouched) == 7);
  const int four[4] = {1, 2, 3, 4};
  q.copy(four, array).wait();
}

void kernels(sycl::queue &q) {
  int *seen = sycl::malloc_shared<int>(8, q);
  q.single_task([=] {
     seen[0] = plain;
     seen[1] = array[0] + array[3];
     seen[2] = unnamed.get().x;
     plain = plain + 1;
     array[1] *= 10;
     unnamed = point{3, 4};
     outer::inner::shared = 2.5f;
     holder::member = 11;
     holder::table[1][2] = 12;
     numbered<1> = 13;
     numbered<2> = 14;
     typed<short>::value = 15;
     kernels_only = 16;
     scoped = scoped + 17;
     read_only = 18;
     address = seen;
     int &reference = plain;
     seen[3] = reference;
   }).wait();
  CHECK(seen[0] == 7 && seen[1] == 5 && seen[2] == 0 && seen[3] == 8);
  // Another kernel sees what this one wrote, whichever image it is in.
  q.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) {
     if (i == 4)
       address[i] = kernels_only + unnamed.get().sum();
     if (i == 5)
       address.get()[i] = *plain.get_multi_ptr<sycl::access::decorated::no>();
   }).wait();
  CHECK(seen[4] == 16 + 7 && seen[5] == 8);
  sycl::free(seen, q);
}

void after_kernels(sycl::queue &q) {
  CHECK(value(q, plain) == 8);
  CHECK(value(q, unnamed).y == 4);
  CHECK(value(q, outer::inner::shared) == 2.5f && value(q, holder::member) == 11);
  CHECK(value(q, numbered<1>) == 13 && value(q, numbered<2>) == 14 &&
        value(q, typed<short>::value) == 15);
  CHECK(value(q, scoped) == 17 && value(q, read_only) == 18);
  int table[6];
  q.submit([&](sycl::handler &h) { h.copy(holder::table, table); }).wait();
  CHECK(table[5] == 12 && table[0] == 0);
  // Parts.
  int two[2] = {-1, -2}, out[4];
  sycl::event first = q.copy(two, array, 2, 1);
  q.copy(array, out, 3, 1, first).wait();
  CHECK(out[0] == -1 && out[1] == -2 && out[2] == 4);
  q.memcpy(array, two, sizeof(int), 3 * sizeof(int), std::vector<sycl::event>{}).wait();
  q.submit([&](sycl::handler &h) { h.memcpy(out, array); }).wait();
  CHECK(out[0] == 1 && out[1] == -1 && out[2] == -2 && out[3] == -1);
  // What the host wrote, kernels see.
  const int hundred = 100, five = 5;
  q.submit([&](sycl::handler &h) { h.copy(&hundred, scoped); }).wait();
  q.memcpy(older, &five).wait();
  q.single_task([=] { scoped = scoped + older; }).wait();
  CHECK(value(q, scoped) == 105);
}

void limits(sycl::queue &q) {
  int out[8];
  CHECK(check::throws(sycl::errc::invalid, [&] { q.copy(array, out, 5); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { q.copy(out, array, 1, 4); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { q.memcpy(out, array, 1, 16); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { q.copy(out, array, ~std::size_t(0)); }));
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { q.submit([&](sycl::handler &h) { h.memcpy(array, out, 17); }); }));
  q.memcpy(out, array, 0, 16).wait();
}

#ifndef SCYTHE_HOST_MODE
void contexts(const sycl::device &device, sycl::queue &q) {
  sycl::queue other(sycl::context(device), device);
  CHECK(value(other, plain) == 0);
  const int fifty = 50;
  other.copy(&fifty, plain).wait();
  other.single_task([=] { plain = plain + 1; }).wait();
  CHECK(value(other, plain) == 51 && value(q, plain) == 8);
  q.single_task([=] { plain = plain + 1; }).wait();
  CHECK(value(other, plain) == 51 && value(q, plain) == 9);
}
#else
void contexts(const sycl::device &, sycl::queue &) {}
#endif

int main() {
  for (const sycl::device &device : sycl::device::get_devices()) {
    sycl::queue q(device);
    before_any_kernel(q);
    kernels(q);
    after_kernels(q);
    limits(q);
    contexts(device, q);
#ifdef SCYTHE_HOST_MODE
    break; // one object, as in C++
#endif
  }
  return check::result();
}
