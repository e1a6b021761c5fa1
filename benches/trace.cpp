// What a timeline costs: steps of a stencil on USM, steps on buffers with copies and host accesses,
// and launches of a kernel that does nothing. Prints the seconds of the best round of each.
#include "timing.hpp"
#include <sycl/sycl.hpp>

#include <cstdio>
#include <utility>

class StencilOnMemory;
class StencilOnBuffers;
class Nothing;

constexpr std::size_t size = 768;
constexpr int rounds = 8;

template <class In, class Out> static void relax(sycl::item<2> item, const In &in, const Out &out) {
  const std::size_t y = item[0], x = item[1], i = y * size + x;
  if (y == 0 || x == 0 || y == size - 1 || x == size - 1)
    out[i] = in[i];
  else
    out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - size] + in[i + size]);
}

static double memory(sycl::queue &queue, int steps) {
  float *now = sycl::malloc_shared<float>(size * size, queue);
  float *next = sycl::malloc_shared<float>(size * size, queue);
  queue.fill(now, 1.0f, size * size).wait();
  const double seconds = best_of(rounds, [&] {
    sycl::event last;
    for (int step = 0; step < steps; ++step) {
      last = queue.parallel_for<StencilOnMemory>(sycl::range(size, size), last,
                                                 [=](sycl::item<2> i) { relax(i, now, next); });
      std::swap(now, next);
    }
    last.wait();
  });
  sycl::free(now, queue);
  sycl::free(next, queue);
  return seconds;
}

static double buffers(sycl::queue &queue, int steps) {
  sycl::buffer<float> now{sycl::range(size * size)}, next{sycl::range(size * size)};
  sycl::host_accessor(now, sycl::write_only)[0] = 1.0f;
  return best_of(rounds, [&] {
    for (int step = 0; step < steps; ++step) {
      queue.submit([&](sycl::handler &h) {
        sycl::accessor in(now, h, sycl::read_only);
        sycl::accessor out(next, h, sycl::write_only);
        h.parallel_for<StencilOnBuffers>(sycl::range(size, size),
                                         [=](sycl::item<2> i) { relax(i, in, out); });
      });
      queue.submit([&](sycl::handler &h) {
        h.copy(sycl::accessor(next, h, sycl::read_only), sycl::accessor(now, h, sycl::write_only));
      });
      if (step % 10 == 0)
        sycl::host_accessor(now, sycl::read_only)[0];
    }
    queue.wait();
  });
}

static double nothing(sycl::queue &queue, int launches) {
  return best_of(rounds, [&] {
    for (int i = 0; i < launches; ++i)
      queue.single_task<Nothing>([] {});
    queue.wait();
  });
}

int main() {
  sycl::queue queue, in_order{sycl::property::queue::in_order()};
  std::printf("memory %g\n", memory(queue, 300));
  std::printf("buffers %g\n", buffers(queue, 150));
  std::printf("nothing %g\n", nothing(in_order, 20000) / 20000);
}
