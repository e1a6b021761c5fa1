// What accessors cost. Prints seconds for each of 10,000 submissions of a small kernel that adds
// two vectors to a third: with USM pointers on an in-order queue (`usm`), with three accessors on
// buffers on an in-order queue (`buffers`), and the same on an out-of-order queue, where the
// accessors order the kernels (`buffers_unordered`). With the name of one of them as its argument,
// the program only submits these kernels once, for counts of instructions.
#include "timing.hpp"

#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>

constexpr int count = 10000;
constexpr std::size_t size = 16;

void with_usm(sycl::queue &q, const float *a, const float *b, float *c) {
  for (int i = 0; i < count; ++i)
    q.submit([&](sycl::handler &h) {
      h.parallel_for(sycl::range<1>(size), [=](sycl::id<1> at) { c[at] += a[at] + b[at]; });
    });
  q.wait();
}

void with_buffers(sycl::queue &q, sycl::buffer<float> &a, sycl::buffer<float> &b,
                  sycl::buffer<float> &c) {
  for (int i = 0; i < count; ++i)
    q.submit([&](sycl::handler &h) {
      sycl::accessor x(a, h, sycl::read_only), y(b, h, sycl::read_only);
      sycl::accessor z(c, h);
      h.parallel_for(sycl::range<1>(size), [=](sycl::id<1> at) { z[at] += x[at] + y[at]; });
    });
  q.wait();
}

int main(int argc, char **argv) {
  const char *only = argc > 1 ? argv[1] : "";
  sycl::queue ordered{sycl::property::queue::in_order()};
  sycl::queue unordered{ordered.get_context(), ordered.get_device()};
  float *p = sycl::malloc_shared<float>(3 * size, ordered);
  std::fill_n(p, 2 * size, 1.0f);
  std::fill_n(p + 2 * size, size, 0.0f);
  float rounds = 0;
  sycl::buffer<float> a(p, size), b(p + size, size), c{sycl::range<1>(size)};
  auto measure = [&](const char *name, auto run) {
    if (*only && std::strcmp(only, name) != 0)
      return;
    double best = best_of(*only ? 1 : 5, run);
    std::printf("%s %.9f\n", name, best / count);
  };
  measure("usm", [&] { with_usm(ordered, p, p + size, p + 2 * size); });
  ordered.fill(p + 2 * size, 0.0f, size).wait();
  ordered.submit([&](sycl::handler &h) {
    sycl::accessor z(c, h, sycl::write_only, sycl::no_init);
    h.fill(z, 0.0f);
  });
  ordered.wait();
  auto buffers = [&](sycl::queue &q) {
    return [&] {
      with_buffers(q, a, b, c);
      rounds += 1;
    };
  };
  measure("buffers", buffers(ordered));
  measure("buffers_unordered", buffers(unordered));
  // Each launch adds two.
  float result = sycl::host_accessor(c)[size - 1];
  if (result != rounds * 2 * count) {
    std::printf("the kernels computed %g, expected %g\n", result, rounds * 2 * count);
    return 1;
  }
  sycl::free(p, ordered);
}
