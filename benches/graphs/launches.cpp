// Measures 100 small kernels that follow each other: submitted one by one, and as a graph. Prints
// microseconds of wall time and of processor time per round.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace xp = sycl::ext::oneapi::experimental;

constexpr int kernels = 100, items = 16, launches = 200, rounds = 10;

struct times {
  double wall = 1e30, processor = 1e30;
};

double processor_time() {
  std::timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

template <class F> void measure(times &best, F f) {
  const auto wall = std::chrono::steady_clock::now();
  const double processor = processor_time();
  f();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - wall;
  best.wall = std::min(best.wall, passed.count() / launches * 1e6);
  best.processor = std::min(best.processor, (processor_time() - processor) / launches * 1e6);
}

int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  unsigned *a = sycl::malloc_device<unsigned>(items, q);
  q.memset(a, 0, items * sizeof *a).wait();
  auto submit = [&] {
    for (int k = 0; k < kernels; ++k)
      q.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { a[i] += 1; });
  };
  xp::command_graph graph(q);
  graph.begin_recording(q);
  submit();
  graph.end_recording();
  auto exec = graph.finalize();
  for (int i = 0; i < 20; ++i) {
    submit();
    q.ext_oneapi_graph(exec);
  }
  q.wait();
  times one_by_one, as_graph, back_to_back;
  for (int round = 0; round < rounds; ++round) {
    measure(one_by_one, [&] {
      for (int i = 0; i < launches; ++i) {
        submit();
        q.wait();
      }
    });
    measure(as_graph, [&] {
      for (int i = 0; i < launches; ++i) {
        q.ext_oneapi_graph(exec);
        q.wait();
      }
    });
    measure(back_to_back, [&] {
      for (int i = 0; i < launches; ++i)
        q.ext_oneapi_graph(exec);
      q.wait();
    });
  }
  unsigned seen = 0;
  q.memcpy(&seen, a + items - 1, sizeof seen).wait();
  const unsigned expected = kernels * (40 + 3u * rounds * launches);
  std::printf("submitted %.2f\ngraph %.2f\nback-to-back %.2f\n", one_by_one.wall, as_graph.wall,
              back_to_back.wall);
  std::printf("submitted-processor %.2f\ngraph-processor %.2f\n", one_by_one.processor,
              as_graph.processor);
  if (seen != expected)
    std::printf("wrong: %u instead of %u\n", seen, expected);
  sycl::free(a, q);
  return seen != expected;
}
