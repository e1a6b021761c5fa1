// `atomic_ref`: every operation on every type, in global and local memory, with all orders and
// scopes, while many work-items do the same.
//
// A foreign host compiler cannot tell unnamed kernels of one line apart:
// MODES: device,host
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <algorithm>
#include <vector>

namespace {

constexpr std::size_t groups = 16, size = 48, items = groups * size;

using space = sycl::access::address_space;
template <class T, space S = space::global_space,
          sycl::memory_order O = sycl::memory_order::relaxed,
          sycl::memory_scope C = sycl::memory_scope::device>
using ref = sycl::atomic_ref<T, O, C, S>;

// Runs `f(cell, i)` in all work-items, on one cell that starts as `start`, and gives the cell's
// last value.
template <class T, class F> T together(sycl::queue &q, T start, F f) {
  T *cell = sycl::malloc_shared<T>(1, q);
  *cell = start;
  q.parallel_for(sycl::nd_range<1>(items, size), [=](sycl::nd_item<1> it) {
     f(ref<T>(*cell), static_cast<int>(it.get_global_id(0)));
   }).wait();
  const T result = *cell;
  sycl::free(cell, q);
  return result;
}

template <class T> void numbers(sycl::queue &q) {
  const T n = static_cast<T>(items);
  CHECK(together<T>(q, 5, [](auto r, int) { r.fetch_add(2); }) == 5 + 2 * n);
  CHECK(together<T>(q, 3 * n, [](auto r, int) { r.fetch_sub(1); }) == 2 * n);
  CHECK(together<T>(q, 0, [](auto r, int) { r += 3; }) == 3 * n);
  CHECK(together<T>(q, 2 * n, [](auto r, int) { r -= 1; }) == n);
  CHECK(together<T>(q, n, [](auto r, int i) { r.fetch_min(static_cast<T>(i + 7)); }) == 7);
  CHECK(together<T>(q, 1, [](auto r, int i) { r.fetch_max(static_cast<T>(i)); }) == n - 1);
  CHECK(together<T>(q, 0, [](auto r, int) {
          T old = r.load();
          while (!r.compare_exchange_weak(old, old + 1)) {
          }
        }) == n);
  CHECK(together<T>(q, 0, [](auto r, int) {
          T old = r;
          while (!r.compare_exchange_strong(old, old + 2, sycl::memory_order::acq_rel,
                                            sycl::memory_order::acquire,
                                            sycl::memory_scope::system)) {
          }
        }) == 2 * n);
  const T last = together<T>(q, 0, [](auto r, int i) { r.store(static_cast<T>(i + 1)); });
  CHECK(last >= 1 && last <= n);
  CHECK(together<T>(q, 0, [](auto r, int) { r = T(9); }) == 9);
  if constexpr (std::is_signed_v<T>) {
    CHECK(together<T>(q, 5, [](auto r, int i) { r.fetch_min(static_cast<T>(-i)); }) == -(n - 1));
    CHECK(together<T>(q, -10000, [](auto r, int i) { r.fetch_max(static_cast<T>(-i - 1)); }) == -1);
  }
}

template <class T> void integers(sycl::queue &q) {
  numbers<T>(q);
  const T n = static_cast<T>(items);
  CHECK(together<T>(q, 0, [](auto r, int) { r++; }) == n);
  CHECK(together<T>(q, 0, [](auto r, int) { ++r; }) == n);
  CHECK(together<T>(q, n, [](auto r, int) { r--; }) == 0);
  CHECK(together<T>(q, n, [](auto r, int) { --r; }) == 0);
  CHECK(together<T>(q, 0, [](auto r, int i) { r.fetch_or(static_cast<T>(T(1) << (i % 20))); }) ==
        0xfffff);
  CHECK(together<T>(q, static_cast<T>(0x7fffffff), [](auto r, int i) {
          r.fetch_and(static_cast<T>(~(T(1) << (i % 9))));
        }) == static_cast<T>(0x7ffffe00));
  CHECK(together<T>(q, 0, [](auto r, int i) { r.fetch_xor(static_cast<T>(T(1) << (i % 3))); }) ==
        0);
  CHECK(together<T>(q, 0, [](auto r, int i) { r |= static_cast<T>(i & 15); }) == 15);
  CHECK(together<T>(q, 15, [](auto r, int i) { r &= static_cast<T>(i | 8); }) == 8);
  CHECK(together<T>(q, 1, [](auto r, int) { r ^= T(2); }) == 1);
}

// Every ticket is handed out once.
template <class T> void tickets(sycl::queue &q) {
  T *next = sycl::malloc_shared<T>(1, q), *taken = sycl::malloc_shared<T>(items, q);
  *next = 0;
  q.parallel_for(sycl::nd_range<1>(items, size), [=](sycl::nd_item<1> it) {
     taken[it.get_global_id(0)] =
         ref<T, space::global_space, sycl::memory_order::seq_cst>(*next).fetch_add(1);
   }).wait();
  std::vector<T> sorted(taken, taken + items);
  std::sort(sorted.begin(), sorted.end());
  int wrong = 0;
  for (std::size_t i = 0; i < items; ++i)
    wrong += sorted[i] != static_cast<T>(i);
  CHECK(wrong == 0);
  // The same through exchanges: what was put in comes out once, except the last.
  *next = -1;
  q.parallel_for(sycl::nd_range<1>(items, size), [=](sycl::nd_item<1> it) {
     const std::size_t i = it.get_global_id(0);
     taken[i] = ref<T, space::generic_space, sycl::memory_order::acq_rel>(*next).exchange(
         static_cast<T>(i));
   }).wait();
  sorted.assign(taken, taken + items);
  sorted.push_back(*next);
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i <= items; ++i)
    wrong += sorted[i] != static_cast<T>(i) - 1;
  CHECK(wrong == 0);
  sycl::free(next, q);
  sycl::free(taken, q);
}

void pointers(sycl::queue &q) {
  int *base = sycl::malloc_shared<int>(items + 1, q);
  int **cell = sycl::malloc_shared<int *>(1, q);
  *cell = base;
  q.parallel_for(sycl::nd_range<1>(items, size), [=](sycl::nd_item<1> it) {
     ref<int *> r(*cell);
     if (it.get_global_id(0) % 2)
       *r.fetch_add(1) = 1;
     else
       *r++ = 1;
   }).wait();
  CHECK(*cell == base + items);
  CHECK(std::count(base, base + items, 1) == static_cast<long>(items));
  q.single_task([=] {
     ref<int *> r(*cell);
     r -= 3;
     --r;
     r--;
     r += 1;
     int *expected = r.load();
     r.compare_exchange_strong(expected, expected + 1);
   }).wait();
  CHECK(*cell == base + items - 3);
  sycl::free(base, q);
  sycl::free(cell, q);
}

// A histogram in local memory, added to one in global memory.
void histogram(sycl::queue &q) {
  constexpr std::size_t bins = 10;
  std::vector<unsigned> out(bins, 0);
  {
    sycl::buffer<unsigned> b(out);
    q.submit([&](sycl::handler &h) {
      sycl::accessor acc(b, h);
      sycl::local_accessor<unsigned> local(sycl::range<1>(bins), h);
      h.parallel_for(sycl::nd_range<1>(items, size), [=](sycl::nd_item<1> it) {
        const std::size_t i = it.get_local_id(0);
        if (i < bins)
          local[i] = 0;
        sycl::group_barrier(it.get_group());
        ref<unsigned, space::local_space, sycl::memory_order::relaxed,
            sycl::memory_scope::work_group>(local[it.get_global_id(0) % bins])
            .fetch_add(1u);
        sycl::group_barrier(it.get_group());
        if (i < bins)
          ref<unsigned>(acc[i]) += local[i];
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < bins; ++i)
    wrong += out[i] != (items + bins - 1 - i) / bins;
  CHECK(wrong == 0);
}

void orders_and_scopes(sycl::queue &q) {
  int *cell = sycl::malloc_shared<int>(1, q);
  *cell = 0;
  q.single_task([=] {
     using order = sycl::memory_order;
     ref<int> r(*cell);
     for (auto s : {sycl::memory_scope::work_item, sycl::memory_scope::sub_group,
                    sycl::memory_scope::work_group, sycl::memory_scope::device,
                    sycl::memory_scope::system}) {
       for (auto o :
            {order::relaxed, order::acquire, order::release, order::acq_rel, order::seq_cst})
         r.fetch_add(1, o, s);
       for (auto o : {order::relaxed, order::acquire, order::seq_cst})
         r.fetch_add(r.load(o, s) > 0, order::relaxed, s);
       for (auto o : {order::relaxed, order::release, order::seq_cst})
         r.store(r.load() + 1, o, s);
     }
   }).wait();
  CHECK(*cell == 55);
  sycl::free(cell, q);
  CHECK(ref<int>::default_read_order == sycl::memory_order::relaxed);
  CHECK(ref<int, space::global_space, sycl::memory_order::acq_rel>::default_read_order ==
        sycl::memory_order::acquire);
  CHECK(ref<int, space::global_space, sycl::memory_order::acq_rel>::default_write_order ==
        sycl::memory_order::release);
  CHECK(ref<int>::is_always_lock_free && ref<int>::required_alignment == 4);
}

} // namespace

int main() {
  sycl::queue q;
  integers<int>(q);
  integers<unsigned>(q);
  integers<long>(q);
  integers<unsigned long>(q);
  integers<long long>(q);
  integers<unsigned long long>(q);
  numbers<float>(q);
  numbers<double>(q);
  tickets<int>(q);
  tickets<long>(q);
  pointers(q);
  histogram(q);
  orders_and_scopes(q);
  return check::result();
}
