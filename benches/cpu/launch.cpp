// What launches cost. Prints `first N`: seconds from the start of `main` until the first kernel has
// ended; and `empty N`: seconds for each of 10,000 empty kernels on an in-order queue.
#include "harness.hpp"

#ifdef PEER_OPENCL
static const char *source = "kernel void empty(void) {}";
#endif

int main() {
  double start = now();
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "empty");
  auto submit = [&] { opencl::launch(kernel, {1}, {}); };
  auto wait = [] { opencl::finish(); };
#else
  auto submit = [] { queue().parallel_for(sycl::range<1>(1), [=](sycl::id<1>) {}); };
  auto wait = [] { queue().wait(); };
#endif
  submit();
  wait();
  std::printf("first %.9f\n", now() - start);
  constexpr int count = 10000;
  double best = 1e300;
  for (int round = 0; round < 6; ++round) {
    start = now();
    for (int i = 0; i < count; ++i)
      submit();
    wait();
    double seconds = now() - start;
    best = seconds < best ? seconds : best;
  }
  std::printf("empty %.9f\n", best / count);
}
