// `atomic_ref` of types with 2 bytes (`sycl_ext_oneapi_atomic16`), while many work-items use the
// same cell, and without a change of the neighbouring cells.
//
// A foreign host compiler cannot tell unnamed kernels of one line apart:
// MODES: device,host
#include <sycl/sycl.hpp>

#include "check.hpp"

using sycl::half;
using sycl::ext::oneapi::bfloat16;

namespace {

// All sums up to 256 are exact in each type.
constexpr int items = 96, size = 24;

template <class T>
using ref = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device,
                             sycl::access::address_space::global_space>;

// Runs `f(cell, i)` in all work-items, on one cell that starts as `start`, and returns the last
// value of the cell as float.
template <class T, class F> float together(sycl::queue &q, T start, F f) {
  T *cells = sycl::malloc_shared<T>(4, q);
  cells[0] = cells[2] = T(-1);
  cells[1] = start;
  q.parallel_for(sycl::nd_range<1>(items, size), [=](sycl::nd_item<1> it) {
     f(ref<T>(cells[1]), static_cast<int>(it.get_global_id(0)));
   }).wait();
  const float result = cells[1];
  CHECK(cells[0] == T(-1));
  CHECK(cells[2] == T(-1));
  sycl::free(cells, q);
  return result;
}

template <class T> void numbers(sycl::queue &q) {
  CHECK(together<T>(q, T(5), [](auto r, int) { r.fetch_add(T(2)); }) == 5 + 2 * items);
  CHECK(together<T>(q, T(200), [](auto r, int) { r.fetch_sub(T(1)); }) == 200 - items);
  CHECK(together<T>(q, T(0), [](auto r, int) { r += T(2); }) == 2 * items);
  CHECK(together<T>(q, T(200), [](auto r, int) { r -= T(2); }) == 200 - 2 * items);
  CHECK(together<T>(q, T(99), [](auto r, int i) { r.fetch_min(T(i + 7)); }) == 7);
  CHECK(together<T>(q, T(1), [](auto r, int i) { r.fetch_max(T(i)); }) == items - 1);
  CHECK(together<T>(q, T(0), [](auto r, int) {
          T old = r.load();
          while (!r.compare_exchange_weak(old, T(old + T(1)))) {
          }
        }) == items);
  CHECK(together<T>(q, T(0), [](auto r, int) {
          T old = r;
          while (!r.compare_exchange_strong(old, T(old + T(2)), sycl::memory_order::acq_rel,
                                            sycl::memory_order::acquire,
                                            sycl::memory_scope::system)) {
          }
        }) == 2 * items);
  const float last = together<T>(q, T(0), [](auto r, int i) { r.store(T(i + 1)); });
  CHECK(last >= 1 && last <= items);
  CHECK(together<T>(q, T(0), [](auto r, int) { r = T(9); }) == 9);
  CHECK(together<T>(q, T(3), [](auto r, int) {
          if (r.exchange(T(3)) != T(3))
            r.store(T(100));
        }) == 3);
  static_assert(ref<T>::required_alignment == 2 && ref<T>::is_always_lock_free);
}

template <class T> void integers(sycl::queue &q) {
  numbers<T>(q);
  CHECK(together<T>(q, T(0), [](auto r, int) { r++; }) == items);
  CHECK(together<T>(q, T(items), [](auto r, int) { --r; }) == 0);
  CHECK(together<T>(q, T(0), [](auto r, int i) { r |= static_cast<T>(1 << i % 15); }) == 0x7fff);
  CHECK(together<T>(q, T(0x7fff),
                    [](auto r, int i) { r.fetch_and(static_cast<T>(~(1 << i % 9))); }) == 0x7e00);
  CHECK(together<T>(q, T(0), [](auto r, int i) { r ^= static_cast<T>(1 << i % 3); }) == 0);
  // The sums wrap, and the neighbours do not change.
  CHECK(together<T>(q, T(0), [](auto r, int) { r += T(0x4000); }) == 0);
}

} // namespace

int main() {
  sycl::queue q;
  const sycl::device d = q.get_device();
  if (!d.has(sycl::aspect::ext_oneapi_atomic16)) {
    CHECK(check::throws(sycl::errc::kernel_not_supported,
                        [&] { together<short>(q, 0, [](auto r, int) { r.fetch_add(2); }); }));
    return check::result();
  }
  integers<short>(q);
  integers<unsigned short>(q);
  numbers<bfloat16>(q);
  if (d.has(sycl::aspect::fp16)) {
    numbers<half>(q);
    CHECK(together<half>(q, half(0), [](auto r, int) { r += half(-0.5f); }) == -items / 2);
  }
  return check::result();
}
