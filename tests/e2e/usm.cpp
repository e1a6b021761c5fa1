// Unified shared memory: allocation, queries, and the memory operations of queues and handlers.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cstdint>
#include <vector>

namespace {

constexpr std::size_t n = 1000;

void allocations(sycl::queue &q) {
  const sycl::context c = q.get_context();
  const sycl::device d = q.get_device();
  int *device = sycl::malloc_device<int>(n, q);
  int *host = sycl::malloc_host<int>(n, q);
  int *shared = sycl::malloc_shared<int>(n, d, c);
  int *untyped = static_cast<int *>(sycl::malloc(n * sizeof(int), q, sycl::usm::alloc::shared));
  CHECK(device && host && shared && untyped);
  CHECK(sycl::get_pointer_type(device, c) == sycl::usm::alloc::device);
  CHECK(sycl::get_pointer_type(host, c) == sycl::usm::alloc::host);
  CHECK(sycl::get_pointer_type(shared, c) == sycl::usm::alloc::shared);
  CHECK(sycl::get_pointer_type(shared + n / 2, c) == sycl::usm::alloc::shared);
  int local = 0;
  CHECK(sycl::get_pointer_type(&local, c) == sycl::usm::alloc::unknown);
  CHECK(sycl::get_pointer_device(device, c) == d);
  CHECK(check::throws(sycl::errc::invalid, [&] { sycl::get_pointer_device(&local, c); }));
  for (void *p : {static_cast<void *>(device), static_cast<void *>(host),
                  static_cast<void *>(shared), static_cast<void *>(untyped)})
    sycl::free(p, q);
  sycl::free(nullptr, q);

  for (std::size_t alignment : {64, 256, 4096}) {
    void *p = sycl::aligned_alloc_device(alignment, 100, q);
    CHECK(p && reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
    sycl::free(p, c);
  }
  CHECK(sycl::malloc_device<int>(static_cast<std::size_t>(-1) / 2, q) == nullptr);
}

void operations(sycl::queue &q) {
  int *a = sycl::malloc_shared<int>(n, q), *b = sycl::malloc_device<int>(n, q);
  std::vector<int> plain(n, 4), back(n, 0);

  sycl::event e = q.copy(plain.data(), b, n);
  e = q.memcpy(a, b, n * sizeof(int), e);
  e = q.parallel_for(n, e, [=](sycl::id<1> i) { a[i] += static_cast<int>(i); });
  q.memcpy(back.data(), a, n * sizeof(int), {e}).wait();
  CHECK(back[0] == 4 && back[n - 1] == 4 + static_cast<int>(n) - 1);

  q.memset(a, 0x01, n * sizeof(int)).wait();
  CHECK(a[0] == 0x01010101 && a[n - 1] == 0x01010101);
  q.fill(a, 77, n - 1).wait();
  CHECK(a[0] == 77 && a[n - 2] == 77 && a[n - 1] == 0x01010101);

  struct triple {
    int x, y, z;
  };
  triple *t = sycl::malloc_shared<triple>(10, q);
  q.fill(t, triple{1, 2, 3}, 10).wait();
  CHECK(t[9].x == 1 && t[9].y == 2 && t[9].z == 3);

  q.prefetch(a, n * sizeof(int)).wait();
  q.mem_advise(a, n * sizeof(int), 0).wait();

  // The same through a handler.
  q.submit([&](sycl::handler &h) { h.fill(b, 5, n); }).wait();
  q.submit([&](sycl::handler &h) { h.copy(b, a, n); }).wait();
  CHECK(a[0] == 5 && a[n - 1] == 5);
  q.submit([&](sycl::handler &h) { h.memset(a, 0, 4); }).wait();
  q.submit([&](sycl::handler &h) { h.memcpy(back.data(), a, n * sizeof(int)); }).wait();
  CHECK(back[0] == 0 && back[1] == 5);
  q.submit([&](sycl::handler &h) { h.prefetch(a, 4); });
  q.submit([&](sycl::handler &h) { h.mem_advise(a, 4, 0); });
  q.wait();

  // Nothing to do is fine.
  q.memcpy(a, b, 0).wait();
  q.fill(a, 1, 0).wait();
  CHECK(check::throws(sycl::errc::invalid, [&] { q.copy(a, a, static_cast<std::size_t>(-1)); }));

  sycl::free(a, q);
  sycl::free(b, q);
  sycl::free(t, q);
}

void containers(sycl::queue &q) {
  using allocator = sycl::usm_allocator<int, sycl::usm::alloc::shared>;
  allocator alloc(q);
  std::vector<int, allocator> v(n, 2, alloc);
  int *data = v.data();
  CHECK(sycl::get_pointer_type(data, q.get_context()) == sycl::usm::alloc::shared);
  q.parallel_for(n, [=](sycl::id<1> i) { data[i] *= 21; }).wait();
  CHECK(v.front() == 42 && v.back() == 42);
  CHECK(allocator(q) == alloc);
  CHECK((sycl::usm_allocator<long, sycl::usm::alloc::shared>(q) == alloc));
  CHECK((sycl::usm_allocator<int, sycl::usm::alloc::host>(q) != alloc));
  CHECK(!(sycl::usm_allocator<int, sycl::usm::alloc::shared, 64>(q) == alloc));
}

} // namespace

int main() {
  sycl::queue q;
  allocations(q);
  operations(q);
  containers(q);
  return check::result();
}
