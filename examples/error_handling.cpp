// Errors: synchronous ones are exceptions where the call is wrong, asynchronous ones reach the
// queue's handler.
// OUTPUT: every error arrived where it should
#include <sycl/sycl.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Calls `f`, which must throw a `sycl::exception` with this code; prints what it says.
template <class F> bool throws(const char *what, sycl::errc expected, F f) {
  try {
    f();
  } catch (const sycl::exception &e) {
    std::printf("%s: %s (%s)\n", what, e.what(), e.code().message().c_str());
    return e.code() == expected && e.category() == sycl::sycl_category();
  }
  std::printf("%s: no exception\n", what);
  return false;
}

bool synchronous() {
  sycl::queue queue;
  bool right = throws("a work-group size that does not divide", sycl::errc::nd_range, [&] {
    queue.parallel_for(sycl::nd_range<1>(100, 7), [](sycl::nd_item<1>) {});
  });
  right &= throws("two commands in one group", sycl::errc::invalid, [&] {
    queue.submit([&](sycl::handler &group) {
      group.single_task([] {});
      group.single_task([] {});
    });
  });
  right &= throws("a selector that nothing satisfies", sycl::errc::runtime,
                  [] { sycl::device([](const sycl::device &) { return -1; }); });
  right &= throws("profiling of a queue that does not profile", sycl::errc::invalid, [&] {
    queue.single_task([] {}).get_profiling_info<sycl::info::event_profiling::command_start>();
  });
  right &= throws("a part outside of its buffer", sycl::errc::invalid, [] {
    sycl::buffer<int> whole{sycl::range<1>(10)};
    sycl::buffer<int> part(whole, 8, 3);
  });
  return right;
}

bool asynchronous() {
  std::vector<std::string> seen;
  sycl::queue queue(sycl::default_selector_v, [&](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception &e) {
        seen.push_back(e.what());
      }
    }
  });
  sycl::event failing = queue.submit([](sycl::handler &group) {
    group.host_task([] { throw std::runtime_error("the host task gave up"); });
  });
  failing.wait(); // Waiting alone reports nothing.
  const bool silent = seen.empty();
  queue.wait_and_throw();
  return silent && seen.size() == 1 && seen[0] == "the host task gave up";
}

} // namespace

int main() {
  const sycl::device device;
  std::printf("%s, %u compute units, work-groups of up to %zu\n",
              device.get_info<sycl::info::device::name>().c_str(),
              device.get_info<sycl::info::device::max_compute_units>(),
              device.get_info<sycl::info::device::max_work_group_size>());
  try {
    std::printf("a GPU: %s\n",
                sycl::device(sycl::gpu_selector_v).get_info<sycl::info::device::name>().c_str());
  } catch (const sycl::exception &) {
    std::printf("no GPU here\n");
  }
  if (!synchronous() || !asynchronous())
    return 1;
  std::printf("every error arrived where it should\n");
}
