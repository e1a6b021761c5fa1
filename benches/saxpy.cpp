// saxpy over 2^26 floats: as a SYCL kernel, or with -DBASELINE as an OpenMP loop. Prints the
// seconds of one pass.
#include "timing.hpp"

#include <cstddef>
#include <cstdio>
#ifdef BASELINE
#include "memory.hpp"
#else
#include <sycl/sycl.hpp>
#endif

constexpr std::size_t n = std::size_t(1) << 26;
constexpr float a = 2.5f;
constexpr int rounds = 10;

int main() {
#ifdef BASELINE
  float *x = allocate<float>(n);
  float *y = allocate<float>(n);
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = float(i & 1023);
    y[i] = 1.0f;
  }
  double seconds = best_of(rounds, [&] {
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i)
      y[i] = a * x[i] + y[i];
  });
#else
  sycl::queue q{sycl::property::queue::in_order()};
  float *x = sycl::malloc_shared<float>(n, q);
  float *y = sycl::malloc_shared<float>(n, q);
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
     x[i] = float(i[0] & 1023);
     y[i] = 1.0f;
   }).wait();
  double seconds = best_of(rounds, [&] {
    q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { y[i] = a * x[i] + y[i]; }).wait();
  });
#endif
  // One pass that did not count, and those that did.
  for (std::size_t i = 0; i < n; i += 4097) {
    float expected = 1.0f;
    for (int r = 0; r < rounds + 1; ++r)
      expected += a * float(i & 1023);
    if (y[i] != expected) {
      std::printf("y[%zu] is %g, expected %g\n", i, double(y[i]), double(expected));
      return 1;
    }
  }
  std::printf("seconds %.9f\n", seconds);
#ifdef BASELINE
  std::free(x);
  std::free(y);
#else
  sycl::free(x, q);
  sycl::free(y, q);
#endif
}
