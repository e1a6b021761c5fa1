// What extensions add to queues and contexts: default contexts, barriers, events of in-order
// queues, waits for devices, copies in two dimensions.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <chrono>
#include <thread>
#include <vector>

namespace {

sycl::event after_a_while(sycl::queue &q, int *place, int value) {
  return q.submit([&](sycl::handler &h) {
    h.host_task([=] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      *place = value;
    });
  });
}

void contexts() {
  sycl::queue q;
  const sycl::device d = q.get_device();
  CHECK(d.get_platform().khr_get_default_context() == q.get_context());
  CHECK(d.get_platform().ext_oneapi_get_default_context() == q.get_context());
  CHECK(d.ext_oneapi_get_default_context() == q.get_context());
  CHECK(q.get_context().get_devices().size() == d.get_platform().get_devices().size());
}

void barriers() {
  sycl::queue q, other;
  int *seen = sycl::malloc_shared<int>(4, q);
  seen[0] = seen[1] = seen[2] = seen[3] = 0;
  // Events of another queue hold up what comes later, although that names none of them.
  const sycl::event e = after_a_while(other, seen, 5);
  q.ext_oneapi_submit_barrier({e});
  q.single_task([=] { seen[1] = seen[0] + 1; });
  q.wait();
  CHECK(seen[1] == 6);
  // All of the queue's own commands.
  after_a_while(q, seen, 7);
  q.ext_oneapi_submit_barrier();
  sycl::event last = q.single_task([=] { seen[2] = seen[0] + 1; });
  last.wait();
  CHECK(seen[2] == 8);
  CHECK(q.khr_empty() && q.ext_oneapi_empty());
  q.single_task([=] { seen[3] = 1; });
  q.khr_flush();
  while (!q.khr_empty())
    std::this_thread::yield();
  CHECK(seen[3] == 1);
  sycl::free(seen, q);
}

void in_order_events() {
  sycl::queue q{sycl::property::queue::in_order()}, other;
  int *seen = sycl::malloc_shared<int>(3, q);
  seen[0] = seen[1] = seen[2] = 0;
  CHECK(!q.ext_oneapi_get_last_event().has_value());
  const sycl::event first = after_a_while(q, seen, 1);
  auto last = q.ext_oneapi_get_last_event();
  CHECK(last && last.has_value());
  last->wait();
  CHECK(seen[0] == 1);
  // The next command follows the external event, and only that one does.
  const sycl::event external = after_a_while(other, seen, 2);
  q.ext_oneapi_set_external_event(external);
  CHECK(*q.ext_oneapi_get_last_event() == external || q.ext_oneapi_get_last_event().has_value());
  q.single_task([=] { seen[1] = seen[0] + 1; });
  sycl::event done = q.ext_oneapi_get_last_event();
  done.wait();
  CHECK(seen[1] == 3);
  // Waiting for the queue waits for it, too.
  q.ext_oneapi_set_external_event(after_a_while(other, seen, 4));
  q.wait();
  CHECK(seen[0] == 4);
  CHECK(check::throws(sycl::errc::invalid, [&] { (void)other.ext_oneapi_get_last_event(); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { other.ext_oneapi_set_external_event(external); }));
  sycl::free(seen, q);
}

void planes() {
  constexpr std::size_t pitch = 16, width = 5, height = 7;
  sycl::queue q;
  int *to = sycl::malloc_shared<int>(pitch * height, q);
  std::vector<int> from(9 * height);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<int>(i);
  const sycl::event filled = q.fill(to, -1, pitch * height);
  const sycl::event copied = q.ext_oneapi_copy2d(from.data(), 9, to, pitch, width, height, filled);
  const sycl::event set = q.ext_oneapi_fill2d(to + 8, pitch, 77, 3, height - 1, {copied});
  q.ext_oneapi_memset2d(to + 12, pitch * sizeof(int), 1, 2 * sizeof(int), 2, set).wait();
  int wrong = 0;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < pitch; ++x) {
      int expected = x < width ? from[y * 9 + x] : -1;
      if (x >= 8 && x < 11 && y < height - 1)
        expected = 77;
      if (x >= 12 && x < 14 && y < 2)
        expected = 0x01010101;
      wrong += to[y * pitch + x] != expected;
    }
  CHECK(wrong == 0);
  std::vector<int> back(width * height);
  q.submit([&](sycl::handler &h) {
     h.ext_oneapi_memcpy2d(back.data(), width * sizeof(int), to, pitch * sizeof(int),
                           width * sizeof(int), height);
   }).wait();
  for (std::size_t i = 0; i < back.size(); ++i)
    wrong += back[i] != from[i / width * 9 + i % width];
  CHECK(wrong == 0);
  q.ext_oneapi_memcpy2d(to, 4, from.data(), 4, 4, 0).wait();
  q.ext_oneapi_fill2d(to, 4, 0, 0, 3).wait();
  CHECK(to[0] == 0 && to[1] == 1);
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { q.ext_oneapi_memcpy2d(to, 4, from.data(), 8, 5, 1); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { q.ext_oneapi_fill2d(to, 2, 1, 3, 1); }));
  sycl::free(to, q);
}

void devices() {
  const sycl::device d;
  CHECK(d.has(sycl::aspect::ext_oneapi_device_wait));
  d.ext_oneapi_wait();
  int errors = 0, of_context = 0;
  const auto count = [](int &n) {
    return [&n](sycl::exception_list list) { n += static_cast<int>(list.size()); };
  };
  const sycl::context other(d, count(of_context));
  int seen[3] = {};
  sycl::queue ordered(d, count(errors), sycl::property::queue::in_order());
  after_a_while(ordered, &seen[0], 1);
  sycl::queue elsewhere(other, d);
  after_a_while(elsewhere, &seen[1], 2);
  {
    sycl::queue destroyed(other, d);
    after_a_while(destroyed, &seen[2], 3);
  }
  d.ext_oneapi_wait();
  CHECK(seen[0] == 1 && seen[1] == 2 && seen[2] == 3);
  const auto fail = [](sycl::handler &h) { h.host_task([] { throw 1; }); };
  ordered.submit(fail);
  elsewhere.submit(fail);
  d.ext_oneapi_wait();
  CHECK(errors == 0 && of_context == 0);
  d.ext_oneapi_throw_asynchronous();
  CHECK(errors == 1 && of_context == 1);
  ordered.submit(fail);
  d.ext_oneapi_wait_and_throw();
  CHECK(errors == 2 && of_context == 1);
}

} // namespace

int main() {
  devices();
  contexts();
  barriers();
  in_order_events();
  planes();
  return check::result();
}
