// Events: dependencies, completion, profiling, barriers.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using status = sycl::info::event_command_status;

status status_of(const sycl::event &e) {
  return e.get_info<sycl::info::event::command_execution_status>();
}

sycl::event slow_task(sycl::queue &q, std::atomic<int> &counter,
                      const std::vector<sycl::event> &after = {}) {
  return q.submit([&](sycl::handler &h) {
    h.depends_on(after);
    h.host_task([&counter] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++counter;
    });
  });
}

void default_event() {
  sycl::event e;
  e.wait();
  e.wait_and_throw();
  CHECK(status_of(e) == status::complete);
  CHECK(sycl::event(e) == e && e != sycl::event());
  CHECK(e.get_wait_list().empty() && e.get_backend() == sycl::queue().get_backend());
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { e.get_profiling_info<sycl::info::event_profiling::command_end>(); }));
}

void dependencies() {
  sycl::queue q1, q2;
  std::atomic<int> counter{0};
  sycl::event a = slow_task(q1, counter), b = slow_task(q2, counter);
  CHECK(a != b);
  sycl::event c = slow_task(q1, counter, {a, b, sycl::event()});
  const auto waits = c.get_wait_list();
  CHECK(waits.size() == 2 && waits[0] == a && waits[1] == b);
  c.wait();
  CHECK(counter == 3);
  CHECK(status_of(a) == status::complete && status_of(b) == status::complete &&
        status_of(c) == status::complete);

  // Kernels wait for host tasks of another queue, and the other way round.
  int *v = sycl::malloc_shared<int>(1, q1);
  sycl::event d = q2.submit([&](sycl::handler &h) { h.host_task([=] { *v = 1; }); });
  sycl::event e = q1.single_task({d}, [=] { *v = *v * 10 + 2; });
  sycl::event f = q2.single_task(e, [=] { *v = *v * 10 + 3; });
  int seen = 0;
  q1.submit([&](sycl::handler &h) {
      h.depends_on(f);
      h.host_task([=, &seen] { seen = *v; });
    }).wait();
  CHECK(seen == 123);
  sycl::free(v, q1);

  sycl::event::wait({a, b, c});
  sycl::event::wait_and_throw({d, e, f});
}

void barriers() {
  sycl::queue q;
  std::atomic<int> counter{0};
  slow_task(q, counter);
  slow_task(q, counter);
  q.ext_oneapi_submit_barrier().wait();
  CHECK(counter == 2);
  sycl::event third = slow_task(q, counter);
  q.ext_oneapi_submit_barrier({third}).wait();
  CHECK(counter == 3);
  // A group without a command is complete when what it waits for is.
  q.submit([&](sycl::handler &h) { h.depends_on(slow_task(q, counter)); }).wait();
  CHECK(counter == 4);
}

void profiling() {
  sycl::queue q{sycl::property::queue::enable_profiling()};
  CHECK(q.has_property<sycl::property::queue::enable_profiling>() && !q.is_in_order());
  int *v = sycl::malloc_shared<int>(1000, q);
  sycl::event e = q.parallel_for(1000, [=](sycl::id<1> i) { v[i] = static_cast<int>(i); });
  const auto submit = e.get_profiling_info<sycl::info::event_profiling::command_submit>();
  const auto start = e.get_profiling_info<sycl::info::event_profiling::command_start>();
  const auto end = e.get_profiling_info<sycl::info::event_profiling::command_end>();
  CHECK(submit <= start && start <= end && submit > 0);
  sycl::free(v, q);

  sycl::queue plain;
  sycl::event f = plain.single_task([] {});
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { f.get_profiling_info<sycl::info::event_profiling::command_end>(); }));
}

// One event after the other stands for commands of two queues.
void reusable_events() {
  namespace xp = sycl::ext::oneapi::experimental;
  static_assert(SYCL_EXT_ONEAPI_REUSABLE_EVENTS == 1);
  sycl::queue q1{sycl::property::queue::in_order()}, q2;
  sycl::event e = xp::make_event(q1.get_device(), q1.get_context());
  CHECK(e.get_device() == q1.get_device() && e.get_context() == q1.get_context());
  CHECK(status_of(e) == status::complete);
  int *v = sycl::malloc_shared<int>(1, q1);
  *v = 0;
  std::atomic<int> counter{0};
  slow_task(q1, counter);
  q1.single_task([=] { *v = 1; });
  const sycl::event copy = e;
  xp::enqueue_signal_event(q1, e);
  CHECK(e != copy && copy.get_wait_list().empty());
  xp::enqueue_wait_event(q2, e);
  sycl::event last = q2.single_task([=] { *v = *v * 10 + 2; });
  xp::enqueue_signal_event(q2, e);
  CHECK(e.get_device() == q2.get_device() && e.get_context() == q2.get_context());
  e.wait();
  CHECK(*v == 12 && counter == 1 && status_of(last) == status::complete);
  xp::enqueue_wait_events(q1, {e, last});
  q1.single_task([=] { *v = *v * 10 + 3; }).wait();
  CHECK(*v == 123);
  sycl::free(v, q1);

  // Events of commands can be reused as well. Other contexts are refused.
  CHECK(last.get_device() == q2.get_device());
  xp::enqueue_signal_event(q2, last);
  last.wait();
  sycl::event other = xp::make_event(q1.get_device(), sycl::context(q1.get_device()));
  CHECK(check::throws(sycl::errc::invalid, [&] { xp::enqueue_signal_event(q1, other); }));
  CHECK(!q1.get_device().get_platform().get_info<xp::info::platform::event_profiling>());
  CHECK(check::throws(sycl::errc::feature_not_supported,
                      [&] { xp::make_event(xp::enable_profiling{true}); }));
  sycl::event plain = xp::make_event(xp::properties{xp::enable_profiling{false}});
  CHECK(plain.get_device() == sycl::device() && xp::make_event(q1.get_device()) != plain);
}

} // namespace

int main() {
  default_event();
  dependencies();
  barriers();
  profiling();
  reusable_events();
  return check::result();
}
