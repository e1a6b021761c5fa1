// saxpy over 2^25 floats: bound by memory.
#include "harness.hpp"

constexpr std::size_t n = std::size_t(1) << 25;
constexpr float a = 2.5f;

#ifdef PEER_OPENCL
static const char *source = R"(
kernel void saxpy(global float *y, global const float *x, float a) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
})";
#endif

int main() {
  float *x = allocate<float>(n), *y = allocate<float>(n);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "saxpy");
#endif
  auto prepare = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = float(i & 1023);
      y[i] = 1.0f;
    }
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::launch(kernel, {n}, {}, y, x, a);
    opencl::finish();
#elif defined(PEER_OPENMP)
#pragma omp parallel for simd
    for (std::size_t i = 0; i < n; ++i)
      y[i] = a * x[i] + y[i];
#else
    queue().parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { y[i] = a * x[i] + y[i]; }).wait();
#endif
  };
  auto check = [&] {
    for (std::size_t i = 0; i < n; ++i)
      if (y[i] != a * float(i & 1023) + 1.0f)
        return near(y[i], a * float(i & 1023) + 1.0f, 0, i);
    return true;
  };
  return measure(10, prepare, run, check);
}
