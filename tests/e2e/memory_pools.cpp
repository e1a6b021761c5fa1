// Pools of USM memory: allocations in the order of commands, reuse, limits, pools over memory of
// the program's.
//
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/async_alloc/async_alloc.hpp>

namespace ext = sycl::ext::oneapi::experimental;
namespace property = sycl::ext::oneapi::experimental::property::memory_pool;

namespace {

// Many temporary allocations, of which an in-order queue needs the memory of one.
void reuse(sycl::queue &q) {
  ext::memory_pool pool(q, sycl::usm::alloc::device);
  int *sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  for (int round = 0; round < 20; ++round) {
    int *temp = static_cast<int *>(ext::async_malloc_from_pool(q, 1000 * sizeof(int), pool));
    q.parallel_for(1000, [=](sycl::id<1> i) { temp[i] = static_cast<int>(i[0]) + round; });
    q.single_task([=] {
      for (int i = 0; i < 1000; ++i)
        *sum += temp[i] - i;
    });
    CHECK(pool.get_reserved_size_current() < 2 * 4096);
    ext::async_free(q, temp);
  }
  q.wait();
  CHECK(*sum == 1000 * 190);
  CHECK(pool.get_used_size_current() == 0 && pool.get_reserved_size_current() == 0 &&
        pool.get_threshold() == 0);
  sycl::free(sum, q);
}

void threshold(sycl::queue &q) {
  ext::memory_pool pool(q.get_context(), q.get_device(), sycl::usm::alloc::shared,
                        ext::properties{property::initial_threshold(2048), property::zero_init()});
  CHECK(pool.get_threshold() == 2048 && pool.get_alloc_kind() == sycl::usm::alloc::shared);
  CHECK(pool.get_context() == q.get_context() && pool.get_device() == q.get_device());
  auto *a = static_cast<unsigned char *>(ext::async_malloc_from_pool(q, 1024, pool));
  q.wait();
  CHECK(a[0] == 0 && a[1023] == 0);
  CHECK(sycl::get_pointer_type(a, q.get_context()) == sycl::usm::alloc::shared);
  CHECK(pool.get_used_size_current() == 1024);
  ext::async_free(q, a);
  q.wait();
  CHECK(pool.get_used_size_current() == 0 && pool.get_reserved_size_current() == 1024);
  void *b = ext::async_malloc_from_pool(q, 1000, pool);
  CHECK(b == a && pool.get_reserved_size_current() == 1024);
  pool.increase_threshold_to(4096);
  pool.increase_threshold_to(1);
  CHECK(pool.get_threshold() == 4096);
  ext::async_free(q, b);
  q.wait();
}

void limits(sycl::queue &q) {
  ext::memory_pool pool(q, sycl::usm::alloc::device, ext::properties{property::maximum_size(4096)});
  void *all = ext::async_malloc_from_pool(q, 4096, pool);
  CHECK(check::throws(sycl::errc::memory_allocation,
                      [&] { (void)ext::async_malloc_from_pool(q, 1, pool); }));
  ext::async_free(q, all);
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::async_free(q, all); }));
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { (void)ext::async_malloc(q, sycl::usm::alloc::unknown, 1); }));
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { ext::memory_pool(q.get_context(), sycl::usm::alloc::device); }));
  const sycl::queue elsewhere{sycl::context(q.get_device()), q.get_device()};
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { (void)ext::async_malloc_from_pool(elsewhere, 1, pool); }));
  q.wait();
}

// Memory of the program's is divided, and whole again at the end.
void own_memory(sycl::queue &q) {
  void *memory = sycl::malloc_device(4096, q);
  {
    ext::memory_pool pool(q.get_context(), memory, 4096);
    CHECK(pool.get_threshold() == 4096 && pool.get_reserved_size_current() == 4096);
    void *parts[4];
    for (void *&part : parts)
      part = ext::async_malloc_from_pool(q, 1000, pool);
    CHECK(pool.get_used_size_current() == 4096);
    CHECK(check::throws(sycl::errc::memory_allocation,
                        [&] { (void)ext::async_malloc_from_pool(q, 1, pool); }));
    for (void *part : {parts[2], parts[0], parts[3], parts[1]})
      ext::async_free(q, part);
    q.wait();
    void *all = ext::async_malloc_from_pool(q, 4096, pool);
    CHECK(all == memory);
    ext::async_free(q, all);
    q.wait();
  }
  sycl::free(memory, q);
}

// With events, on a queue of any order, from the pools of the context.
void by_events() {
  sycl::queue q;
  CHECK(q.get_device().has(sycl::aspect::ext_oneapi_async_memory_alloc));
  int *temp = nullptr;
  int *result = sycl::malloc_shared<int>(1, q);
  const sycl::event made = q.submit([&](sycl::handler &h) {
    temp = static_cast<int *>(ext::async_malloc(h, sycl::usm::alloc::device, 64 * sizeof(int)));
  });
  const sycl::event filled =
      q.parallel_for(64, made, [=](sycl::id<1> i) { temp[i] = static_cast<int>(i[0]); });
  const sycl::event used = q.single_task(filled, [=] { *result = temp[63]; });
  q.submit([&](sycl::handler &h) {
     h.depends_on(used);
     ext::async_free(h, temp);
   }).wait();
  CHECK(*result == 63);
  const sycl::context c = q.get_context();
  const auto pool = c.ext_oneapi_get_default_memory_pool(q.get_device(), sycl::usm::alloc::device);
  CHECK(pool == c.ext_oneapi_get_default_memory_pool(q.get_device(), sycl::usm::alloc::device));
  CHECK(c.ext_oneapi_get_default_memory_pool(sycl::usm::alloc::host).get_alloc_kind() ==
        sycl::usm::alloc::host);
  CHECK(pool.get_used_size_current() == 0);
  sycl::free(result, q);
}

} // namespace

int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  reuse(q);
  threshold(q);
  limits(q);
  own_memory(q);
  by_events();
  return check::result();
}
