// Queues: construction, identity, order, submission from several threads.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <thread>
#include <unordered_set>
#include <vector>

namespace {

void construction() {
  sycl::queue a;
  sycl::queue b(sycl::cpu_selector_v);
  sycl::queue c(sycl::cpu_selector_v,
                {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()});
  sycl::queue d(a.get_context(), a.get_device(), sycl::property::queue::in_order());
  sycl::queue e(a.get_device(), [](sycl::exception_list) {});
  sycl::queue f{sycl::property::queue::in_order()};
  sycl::queue g([](const sycl::device &dev) { return dev.is_cpu() ? 1 : -1; });
  sycl::queue h(sycl::context(sycl::device()), sycl::default_selector_v);
  CHECK(!a.is_in_order() && c.is_in_order() && d.is_in_order() && f.is_in_order());
  CHECK(c.has_property<sycl::property::queue::enable_profiling>());
  CHECK(b.get_device().is_cpu() && g.get_device().is_cpu());
  CHECK(d.get_context() == a.get_context());
  CHECK(a.get_info<sycl::info::queue::device>() == a.get_device());
  CHECK(a.get_info<sycl::info::queue::context>() == a.get_context());
  CHECK(h.get_context() != a.get_context());
  CHECK(a.get_backend() == a.get_device().get_backend());
  CHECK(check::throws(sycl::errc::runtime, [&] {
    sycl::queue(a.get_context(), [](const sycl::device &) { return -1; });
  }));
}

void identity() {
  sycl::queue a, b;
  sycl::queue copy = a;
  CHECK(copy == a && a != b);
  std::unordered_set<sycl::queue> set{a, b, copy};
  CHECK(set.size() == 2);
  std::unordered_set<sycl::device> devices{a.get_device(), b.get_device()};
  CHECK(devices.size() == 1);
}

void in_order() {
  sycl::queue q{sycl::property::queue::in_order()};
  constexpr std::size_t n = 4096;
  long *v = sycl::malloc_shared<long>(n, q);
  q.fill(v, 1L, n);
  for (int round = 0; round < 50; ++round) {
    q.parallel_for(n, [=](sycl::id<1> i) { v[i] = v[i] * 3 % 1000003; });
    // The reversed index makes a missing dependency show.
    q.parallel_for(n, [=](sycl::id<1> i) { v[n - 1 - i] += 1; });
    if (round % 10 == 0)
      q.submit([&](sycl::handler &h) {
        h.host_task([=] {
          for (std::size_t i = 0; i < n; ++i)
            v[i] += 2;
        });
      });
  }
  q.wait();
  CHECK(q.ext_oneapi_empty());
  long expected = 1;
  for (int round = 0; round < 50; ++round)
    expected = expected * 3 % 1000003 + 1 + (round % 10 == 0 ? 2 : 0);
  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += v[i] != expected;
  CHECK(wrong == 0);
  sycl::free(v, q);
}

void many_threads() {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(64)};
  q.fill(sycl::accessor(b, sycl::write_only), 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      // Copies of the queue and the buffer are the same queue and buffer.
      sycl::queue mine = q;
      sycl::buffer<int> shared = b;
      for (int round = 0; round < 100; ++round)
        mine.submit([&](sycl::handler &h) {
          sycl::accessor v(shared, h);
          h.parallel_for(64, [=](sycl::id<1> i) { v[i] += t + 1; });
        });
    });
  for (std::thread &t : threads)
    t.join();
  sycl::host_accessor v(b, sycl::read_only);
  for (int value : v)
    CHECK(value == 100 * (1 + 2 + 3 + 4));
}

void secondary() {
  sycl::queue first, second;
  bool ran = false;
  int calls = 0;
  first
      .submit(
          [&](sycl::handler &h) {
            if (++calls == 1)
              throw sycl::exception(sycl::errc::runtime, "not here");
            h.host_task([&] { ran = true; });
          },
          second)
      .wait();
  CHECK(ran && calls == 2);
}

} // namespace

int main() {
  construction();
  identity();
  in_order();
  many_threads();
  secondary();
  return check::result();
}
