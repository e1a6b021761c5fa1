// The Mandelbrot set on 1,024 x 1,024 points, up to 256 steps each: work-items leave their loop at
// different times.
#include "harness.hpp"

constexpr std::size_t n = 1024;
constexpr int limit = 256;

#ifdef PEER_OPENCL
static const char *source = R"(
kernel void mandelbrot(global int *steps, uint n, int limit) {
  size_t x = get_global_id(0), y = get_global_id(1);
  float re = -2.0f + 3.0f * (float)(int)x / (float)n, im = -1.5f + 3.0f * (float)(int)y / (float)n;
  float a = 0.0f, b = 0.0f;
  int k = 0;
  while (k < limit && a * a + b * b <= 4.0f) {
    float next = a * a - b * b + re;
    b = 2.0f * a * b + im;
    a = next;
    ++k;
  }
  steps[y * n + x] = k;
})";
#endif

// The number of steps until the point has left the circle.
inline int escape(std::size_t x, std::size_t y) {
  float re = -2.0f + 3.0f * float(int(x)) / float(n), im = -1.5f + 3.0f * float(int(y)) / float(n);
  float a = 0.0f, b = 0.0f;
  int k = 0;
  while (k < limit && a * a + b * b <= 4.0f) {
    float next = a * a - b * b + re;
    b = 2.0f * a * b + im;
    a = next;
    ++k;
  }
  return k;
}

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
        steps[y * n + x] = escape(x, y);
#else
    queue()
        .parallel_for(sycl::range<2>(n, n),
                      [=](sycl::id<2> i) { steps[i[0] * n + i[1]] = escape(i[1], i[0]); })
        .wait();
#endif
  };
  // Contraction may differ, and with it the last step of points near the edge of the set.
  auto check = [&] {
    std::size_t different = 0;
    for (std::size_t i = 0; i < n * n; i += 7)
      different += steps[i] != escape(i % n, i / n);
    return near(double(different), 0, double(n * n / 7) / 200, n * n);
  };
  return measure(6, prepare, run, check);
}
