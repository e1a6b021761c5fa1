// A seven-point stencil over 128 x 512 x 512 floats, in three dimensions.
#include "harness.hpp"

constexpr std::size_t nz = 128, ny = 512, nx = 512, n = nz * ny * nx;
constexpr float centre = 0.4f, side = 0.1f;

#ifdef PEER_OPENCL
static const char *source = R"(
#define NX 512
#define NY 512
kernel void stencil(global float *out, global const float *in, float centre, float side) {
  size_t c = ((get_global_id(2) + 1) * NY + get_global_id(1) + 1) * NX + get_global_id(0) + 1;
  out[c] = centre * in[c] +
           side * (in[c - 1] + in[c + 1] + in[c - NX] + in[c + NX] + in[c - NX * NY] + in[c +
               NX * NY]);
})";
#endif

// The value at `c` of the next step.
inline float step(const float *in, std::size_t c) {
  return centre * in[c] + side * (in[c - 1] + in[c + 1] + in[c - nx] + in[c + nx] +
                                  in[c - nx * ny] + in[c + nx * ny]);
}

int main() {
  float *in = allocate<float>(n), *out = allocate<float>(n);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "stencil");
#endif
  auto prepare = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = float((i * 2654435761u) & 0xffff) / 65536.0f;
      out[i] = 0.0f;
    }
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::launch(kernel, {nx - 2, ny - 2, nz - 2}, {}, out, in, centre, side);
    opencl::finish();
#elif defined(PEER_OPENMP)
#pragma omp parallel for collapse(2)
    for (std::size_t z = 1; z < nz - 1; ++z)
      for (std::size_t y = 1; y < ny - 1; ++y)
#pragma omp simd
        for (std::size_t x = 1; x < nx - 1; ++x) {
          std::size_t c = (z * ny + y) * nx + x;
          out[c] = step(in, c);
        }
#else
    queue()
        .parallel_for(sycl::range<3>(nz - 2, ny - 2, nx - 2),
                      [=](sycl::id<3> i) {
                        std::size_t c = ((i[0] + 1) * ny + i[1] + 1) * nx + i[2] + 1;
                        out[c] = step(in, c);
                      })
        .wait();
#endif
  };
  auto check = [&] {
    for (std::size_t c = nx * ny; c < n - nx * ny; c += 37) {
      std::size_t x = c % nx, y = c / nx % ny;
      bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
      if (!near(out[c], inside ? step(in, c) : 0.0f, 1e-6, c))
        return false;
    }
    return true;
  };
  return measure(10, prepare, run, check);
}
