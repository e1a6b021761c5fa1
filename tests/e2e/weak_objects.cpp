// Weak references to SYCL objects and the order of objects (`sycl_ext_oneapi_weak_object`).
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <map>
#include <memory>
#include <thread>

namespace oneapi = sycl::ext::oneapi;

namespace {

// Checks all functions with an object that is expected to expire with its last copy, and another
// object.
template <class T> void references(std::optional<T> object, const T &other) {
  oneapi::weak_object<T> none, weak = *object, copy = weak, to_other = other;
  CHECK(none.expired() && !none.try_lock());
  CHECK(check::throws(sycl::errc::invalid, [&] { (void)none.lock(); }));
  CHECK(!weak.expired() && weak.lock() == *object && *copy.try_lock() == *object);

  const oneapi::owner_less<T> less;
  T shared = *object;
  CHECK(!less(*object, shared) && !less(shared, weak) && !less(copy, shared) && !less(weak, copy));
  CHECK(less(*object, other) != less(other, *object));
  CHECK(less(weak, other) == less(*object, other) && less(other, copy) == less(to_other, weak));
  CHECK(weak.owner_before(to_other) == less(weak, to_other));
  CHECK(to_other.owner_before(shared) == less(other, *object));

  std::map<oneapi::weak_object<T>, int, oneapi::owner_less<T>> numbers;
  numbers[weak] = 1;
  numbers[to_other] = 2;
  CHECK(numbers[copy] == 1 && numbers.size() == 2);

  none.swap(copy);
  CHECK(copy.expired() && none.lock() == shared);
  copy = other;
  CHECK(copy.lock() == other);
  copy.reset();
  CHECK(copy.expired());
  copy = std::move(none);
  CHECK(copy.lock() == shared);

  // Only `shared` and `object` are left.
  shared = other;
  CHECK(!weak.expired());
  object.reset();
  CHECK(weak.expired() && copy.expired());
  CHECK(numbers[weak] == 1 && numbers[to_other] == 2);
}

template <class T> void members(const T &a, const T &b) {
  CHECK(!a.ext_oneapi_owner_before(a));
  CHECK(a.ext_oneapi_owner_before(b) != b.ext_oneapi_owner_before(a));
  CHECK(a.ext_oneapi_owner_before(oneapi::weak_object<T>(b)) == a.ext_oneapi_owner_before(b));
}

class counting;

void commands(const sycl::device &d) {
  sycl::context c1{d}, c2{d};
  members(c1, c2);
  sycl::queue q1{c1, d}, q2{c1, d};
  members(q1, q2);
  references<sycl::context>(sycl::context{d}, c2);
  references<sycl::queue>(sycl::queue{c1, d}, q2);

  int *cell = sycl::malloc_shared<int>(1, q1);
  sycl::event e1 = q1.single_task<counting>([=] { *cell = 1; });
  e1.wait();
  sycl::event e2 = q1.single_task<class adding>([=] { *cell += 1; });
  e2.wait();
  members(e1, e2);
  references<sycl::event>(sycl::event(), e2);
  oneapi::weak_object<sycl::event> weak = e1;
  CHECK(weak.lock() == e1);
  sycl::free(cell, q1);
}

void memory(sycl::queue &q) {
  sycl::buffer<int> b1{sycl::range<1>(4)}, b2{sycl::range<1>(4)};
  members(b1, b2);
  references<sycl::buffer<int>>(sycl::buffer<int>{sycl::range<1>(4)}, b2);
  references<sycl::buffer<int>>(sycl::buffer<int>{std::make_shared<int>(7), sycl::range<1>(1)}, b2);

  // A locked buffer is the same memory, and its last owner writes it back.
  int numbers[6] = {};
  oneapi::weak_object<sycl::buffer<int, 2>> weak;
  std::optional<sycl::buffer<int, 2>> locked;
  {
    sycl::buffer<int, 2> b(numbers, sycl::range<2>(2, 3));
    weak = b;
    locked = weak.try_lock();
  }
  CHECK(!weak.expired() && locked->get_range() == sycl::range<2>(2, 3));
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(*locked, h);
    oneapi::weak_object<decltype(a)> weak_accessor = a;
    CHECK(weak_accessor.lock() == a);
    h.parallel_for<class filling>(locked->get_range(),
                                  [=](sycl::id<2> i) { a[i] = static_cast<int>(i[0] * 3 + i[1]); });
  });
  locked.reset();
  CHECK(weak.expired() && numbers[5] == 5);

  {
    sycl::host_accessor a1(b1), a2(b2);
    sycl::buffer<int> b3{sycl::range<1>(4)};
    references<sycl::host_accessor<int>>(sycl::host_accessor<int>(b3), a2);
    oneapi::weak_object<sycl::host_accessor<int>> weak_access = a1;
    weak_access.lock()[2] = 5;
    CHECK(a1[2] == 5);
  }
  sycl::host_accessor again(b1);
  CHECK(again[2] == 5);

  sycl::unsampled_image<2> i1{sycl::image_format::r8g8b8a8_unorm, {4, 4}},
      i2{sycl::image_format::r8g8b8a8_unorm, {4, 4}};
  members(i1, i2);
  references<sycl::unsampled_image<2>>(
      sycl::unsampled_image<2>{sycl::image_format::r8g8b8a8_unorm, {2, 2}}, i2);
}

// One thread locks while another destroys.
void threads(const sycl::device &d) {
  for (int i = 0; i < 100; ++i) {
    std::optional<sycl::context> c{sycl::context{d}};
    oneapi::weak_object<sycl::context> weak = *c;
    bool alive = true;
    std::thread other([&] {
      while (alive)
        if (std::optional<sycl::context> locked = weak.try_lock())
          alive = locked->get_devices().size() == 1;
        else
          alive = false;
    });
    c.reset();
    other.join();
    CHECK(weak.expired());
  }
}

} // namespace

int main() {
  sycl::queue q;
  const sycl::device d = q.get_device();
  oneapi::weak_object<sycl::device> weak_device = d;
  oneapi::weak_object<sycl::platform> weak_platform = d.get_platform();
  CHECK(weak_device.lock() == d && weak_platform.lock() == d.get_platform());
  CHECK(!d.ext_oneapi_owner_before(weak_device));
  commands(d);
  memory(q);
  threads(d);
#ifndef SCYTHE_HOST_MODE // without device images, there are no kernel bundles
  auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  sycl::kernel k = bundle.get_kernel<counting>();
  oneapi::weak_object weak_bundle = bundle;
  oneapi::weak_object weak_kernel = k;
  oneapi::weak_object weak_id = sycl::get_kernel_id<counting>();
  CHECK(weak_bundle.lock() == bundle && weak_kernel.lock() == k);
  CHECK(weak_id.lock() == sycl::get_kernel_id<counting>());
#endif
  return check::result();
}
