// Four ways to order commands: accessors, events across queues, an in-order queue, and a host task
// in the middle.
// OUTPUT: all chains ran in order
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t n = 10000;

bool all_are(const int *values, int expected) {
  for (std::size_t i = 0; i < n; ++i)
    if (values[i] != expected)
      return false;
  return true;
}

// Commands of two queues use one buffer: the runtime orders them by their accessors.
bool by_accessors() {
  sycl::queue first, second;
  std::vector<int> values(n, 1);
  {
    sycl::buffer buffer(values);
    first.submit([&](sycl::handler &group) {
      sycl::accessor v(buffer, group);
      group.parallel_for(sycl::range(n), [=](sycl::id<1> i) { v[i] += 2; });
    });
    // A host task takes part like a kernel.
    second.submit([&](sycl::handler &group) {
      sycl::accessor v(buffer, group, sycl::read_write_host_task);
      group.host_task([=] {
        for (int &value : v)
          value *= 10;
      });
    });
    second.submit([&](sycl::handler &group) {
      sycl::accessor v(buffer, group);
      group.parallel_for(sycl::range(n), [=](sycl::id<1> i) { v[i] -= 5; });
    });
  }
  return all_are(values.data(), 25);
}

// USM pointers say nothing about order: events do.
bool by_events() {
  sycl::queue first, second;
  int *v = sycl::malloc_shared<int>(n, first);
  sycl::event filled = first.fill(v, 3, n);
  sycl::event squared =
      second.parallel_for(sycl::range(n), filled, [=](sycl::id<1> i) { v[i] *= v[i]; });
  sycl::event checked = first.submit([&](sycl::handler &group) {
    group.depends_on(squared);
    group.host_task([=] { v[0] = all_are(v, 9) ? v[0] : -100; });
  });
  second.parallel_for(sycl::range(n), {squared, checked}, [=](sycl::id<1> i) { v[i] += 1; }).wait();
  const bool right = all_are(v, 10);
  sycl::free(v, first);
  return right;
}

// An in-order queue needs neither.
bool by_queue() {
  sycl::queue queue{sycl::property::queue::in_order()};
  int *v = sycl::malloc_device<int>(n, queue);
  std::vector<int> result(n);
  queue.memset(v, 0, n * sizeof(int));
  for (int round = 0; round < 100; ++round)
    queue.parallel_for(sycl::range(n), [=](sycl::id<1> i) { v[i] = v[i] + round; });
  queue.copy(v, result.data(), n).wait();
  sycl::free(v, queue);
  return all_are(result.data(), 99 * 100 / 2);
}

} // namespace

int main() {
  const bool accessors = by_accessors(), events = by_events(), queue = by_queue();
  if (!accessors || !events || !queue) {
    std::printf("wrong order:%s%s%s\n", accessors ? "" : " accessors", events ? "" : " events",
                queue ? "" : " queue");
    return 1;
  }
  std::printf("all chains ran in order\n");
}
