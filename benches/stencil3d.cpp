// A seven-point stencil over 256 x 512 x 512 = 2^26 floats: as a SYCL kernel, or with -DBASELINE as
// OpenMP loops. Prints the seconds of one pass.
#include "timing.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>
#ifdef BASELINE
#include "memory.hpp"
#else
#include <sycl/sycl.hpp>
#endif

constexpr std::size_t nz = 256, ny = 512, nx = 512, n = nz * ny * nx;
constexpr float centre = 0.4f, side = 0.1f;
constexpr int rounds = 8;

// The value at `c` of the next step.
inline float step(const float *in, std::size_t c) {
  return centre * in[c] + side * (in[c - 1] + in[c + 1] + in[c - nx] + in[c + nx] +
                                  in[c - nx * ny] + in[c + nx * ny]);
}

inline float initial(std::size_t i) { return float((i * 2654435761u) & 0xffff) / 65536.0f; }

int main() {
#ifdef BASELINE
  float *in = allocate<float>(n);
  float *out = allocate<float>(n);
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i) {
    in[i] = initial(i);
    out[i] = 0.0f;
  }
  double seconds = best_of(rounds, [&] {
#pragma omp parallel for collapse(2)
    for (std::size_t z = 1; z < nz - 1; ++z)
      for (std::size_t y = 1; y < ny - 1; ++y)
        for (std::size_t x = 1; x < nx - 1; ++x) {
          std::size_t c = (z * ny + y) * nx + x;
          out[c] = step(in, c);
        }
  });
#else
  sycl::queue q{sycl::property::queue::in_order()};
  float *in = sycl::malloc_shared<float>(n, q);
  float *out = sycl::malloc_shared<float>(n, q);
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
     in[i] = initial(i[0]);
     out[i] = 0.0f;
   }).wait();
  double seconds = best_of(rounds, [&] {
    q.parallel_for(sycl::range<3>(nz - 2, ny - 2, nx - 2), [=](sycl::id<3> i) {
       std::size_t c = ((i[0] + 1) * ny + i[1] + 1) * nx + i[2] + 1;
       out[c] = step(in, c);
     }).wait();
  });
#endif
  for (std::size_t c = nx * ny + nx + 1; c < n - nx * ny; c += 4099) {
    std::size_t x = c % nx, y = c / nx % ny;
    bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    float expected = inside ? step(in, c) : 0.0f;
    if (std::fabs(out[c] - expected) > 1e-6f) {
      std::printf("element %zu is %g, expected %g\n", c, double(out[c]), double(expected));
      return 1;
    }
  }
  std::printf("seconds %.9f\n", seconds);
#ifdef BASELINE
  std::free(in);
  std::free(out);
#else
  sycl::free(in, q);
  sycl::free(out, q);
#endif
}
