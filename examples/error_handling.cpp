// Errors: a wrong call throws a synchronous error. The queue's handler receives asynchronous
// errors.
// OUTPUT: all errors were reported as expected
#include <sycl/sycl.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Calls `f`, which must throw a `sycl::exception` with this code. Prints the message.
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
  bool right =
      throws("a work-group size that does not divide the range", sycl::errc::nd_range,
             [&] { queue.parallel_for(sycl::nd_range<1>(100, 7), [](sycl::nd_item<1>) {}); });
  right &= throws("two commands in one command group", sycl::errc::invalid, [&] {
    queue.submit([&](sycl::handler &group) {
      group.single_task([] {});
      group.single_task([] {});
    });
  });
  right &= throws("a selector that rejects every device", sycl::errc::runtime,
                  [] { sycl::device([](const sycl::device &) { return -1; }); });
  right &=
      throws("profiling information of a queue without enable_profiling", sycl::errc::invalid, [&] {
        queue.single_task([] {}).get_profiling_info<sycl::info::event_profiling::command_start>();
      });
  right &= throws("a sub-buffer outside its buffer", sycl::errc::invalid, [] {
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
    group.host_task([] { throw std::runtime_error("the host task failed"); });
  });
  failing.wait(); // Waiting alone reports nothing.
  const bool silent = seen.empty();
  queue.wait_and_throw();
  return silent && seen.size() == 1 && seen[0] == "the host task failed";
}

} // namespace

int main() {
  const sycl::device device;
  std::printf("%s, %u compute units, work-groups of up to %zu work-items\n",
              device.get_info<sycl::info::device::name>().c_str(),
              device.get_info<sycl::info::device::max_compute_units>(),
              device.get_info<sycl::info::device::max_work_group_size>());
  try {
    std::printf("GPU: %s\n",
                sycl::device(sycl::gpu_selector_v).get_info<sycl::info::device::name>().c_str());
  } catch (const sycl::exception &) {
    std::printf("no GPU is available\n");
  }
  if (!synchronous() || !asynchronous())
    return 1;
  std::printf("all errors were reported as expected\n");
}
