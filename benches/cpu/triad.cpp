// The triad of STREAM over 2^24 doubles: bound by memory, written without being read.
#include "harness.hpp"

constexpr std::size_t n = std::size_t(1) << 24;
constexpr double scalar = 3.0;

#ifdef PEER_OPENCL
static const char *source = R"(
kernel void triad(global double *a, global const double *b, global const double *c, double scalar) {
  size_t i = get_global_id(0);
  a[i] = b[i] + scalar * c[i];
})";
#endif

int main() {
  double *a = allocate<double>(n), *b = allocate<double>(n), *c = allocate<double>(n);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "triad");
#endif
  auto prepare = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = 0.0;
      b[i] = double(i & 4095);
      c[i] = double(i & 1023);
    }
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::launch(kernel, {n}, {}, a, b, c, scalar);
    opencl::finish();
#elif defined(PEER_OPENMP)
#pragma omp parallel for simd
    for (std::size_t i = 0; i < n; ++i)
      a[i] = b[i] + scalar * c[i];
#else
    queue()
        .parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = b[i] + scalar * c[i]; })
        .wait();
#endif
  };
  auto check = [&] {
    for (std::size_t i = 0; i < n; ++i)
      if (a[i] != double(i & 4095) + scalar * double(i & 1023))
        return near(a[i], double(i & 4095) + scalar * double(i & 1023), 0, i);
    return true;
  };
  return measure(10, prepare, run, check);
}
