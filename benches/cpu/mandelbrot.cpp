// The Mandelbrot set on 1,024 x 1,024 points, up to 256 steps each: work-items leave their loop at
// different times.
#include "harness.hpp"

constexpr std::size_t n = 1024;
constexpr int limit = 256;

#include "mandelbrot.cl"

#ifdef PEER_OPENCL
static const char source[] = {
#embed "mandelbrot.cl" suffix(, 0)
};
#endif

int main() {
  int *steps = allocate<int>(n * n);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "mandelbrot");
#endif
  auto prepare = [&] {
    for (std::size_t i = 0; i < n * n; ++i)
      steps[i] = -1;
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::launch(kernel, {n, n}, {}, steps, cl_uint(n), limit);
    opencl::finish();
#elif defined(PEER_OPENMP)
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t x = 0; x < n; ++x)
        steps[y * n + x] = escape(int(x), int(y), n, limit);
#else
    queue()
        .parallel_for(
            sycl::range<2>(n, n),
            [=](sycl::id<2> i) { steps[i[0] * n + i[1]] = escape(int(i[1]), int(i[0]), n, limit); })
        .wait();
#endif
  };
  // Contraction may differ, and with it the last step of points near the edge of the set.
  auto check = [&] {
    std::size_t different = 0;
    for (std::size_t i = 0; i < n * n; i += 7)
      different += steps[i] != escape(int(i % n), int(i / n), n, limit);
    return near(double(different), 0, double(n * n / 7) / 200, n * n);
  };
  return measure(6, prepare, run, check);
}
