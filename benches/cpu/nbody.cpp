// The forces between 8,192 bodies, each on each: arithmetic, with division and square root, in a
// loop that all work-items share.
#include "harness.hpp"

constexpr std::size_t n = 8192;
constexpr float softening = 0.01f;

#ifdef PEER_OPENCL
static const char source[] = {
#embed "nbody.cl" suffix(, 0)
};
#else
namespace bodies {
#ifdef PEER_OPENMP
using std::sqrt;
#else
using sycl::sqrt;
#endif
#define global
#include "nbody.cl"
#undef global
} // namespace bodies
#endif

int main() {
  float *x = allocate<float>(n), *y = allocate<float>(n), *z = allocate<float>(n),
        *m = allocate<float>(n);
  float *fx = allocate<float>(n), *fy = allocate<float>(n), *fz = allocate<float>(n);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "forces");
#endif
  auto prepare = [&] {
    for (std::uint32_t i = 0; i < n; ++i) {
      x[i] = fraction(4 * i);
      y[i] = fraction(4 * i + 1);
      z[i] = fraction(4 * i + 2);
      m[i] = fraction(4 * i + 3);
      fx[i] = fy[i] = fz[i] = 0.0f;
    }
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::launch(kernel, {n}, {}, x, y, z, m, fx, fy, fz, cl_uint(n), softening);
    opencl::finish();
#elif defined(PEER_OPENMP)
#pragma omp parallel for
    for (std::uint32_t i = 0; i < n; ++i)
      bodies::force_on(i, x, y, z, m, fx, fy, fz, n, softening);
#else
    queue()
        .parallel_for(
            sycl::range<1>(n),
            [=](sycl::id<1> i) { bodies::force_on(i, x, y, z, m, fx, fy, fz, n, softening); })
        .wait();
#endif
  };
  auto check = [&] {
    for (std::size_t i = 0; i < n; i += 127) {
      double ax = 0, ay = 0, az = 0, all = 0;
      for (std::size_t j = 0; j < n; ++j) {
        double dx = double(x[j]) - x[i], dy = double(y[j]) - y[i], dz = double(z[j]) - z[i];
        double square = dx * dx + dy * dy + dz * dz + softening;
        double weight = m[j] / (square * std::sqrt(square));
        ax += dx * weight;
        ay += dy * weight;
        az += dz * weight;
        all += weight;
      }
      double tolerance = 1e-5 * all;
      if (!near(fx[i], ax, tolerance, i) || !near(fy[i], ay, tolerance, i) ||
          !near(fz[i], az, tolerance, i))
        return false;
    }
    return true;
  };
  return measure(8, prepare, run, check);
}
