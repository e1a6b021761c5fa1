// The product of two matrices of 768 x 768 floats, by tiles of 16 x 16 in local memory with two
// barriers per tile. With the argument `build`, prints `build N` instead: the seconds until the
// first product, of one tile, has ended.
#include "harness.hpp"

#include <cstring>

constexpr std::size_t n = 768, tile = 16;

#ifdef PEER_OPENCL
static const char *source = R"(
#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void product(global const float *a, global const float *b, global float *c, ulong n,
    local float *at, local float *bt) {
  size_t row = get_global_id(1), column = get_global_id(0);
  size_t y = get_local_id(1), x = get_local_id(0);
  float sum = 0.0f;
  for (size_t t = 0; t < n; t += TILE) {
    at[y * TILE + x] = a[row * n + t + x];
    bt[y * TILE + x] = b[(t + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = 0; k < TILE; ++k)
      sum += at[y * TILE + k] * bt[k * TILE + x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
})";
#endif

int main(int argc, char **argv) {
  float *a = allocate<float>(n * n), *b = allocate<float>(n * n), *c = allocate<float>(n * n);
  double start = now();
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "product");
#endif
  auto prepare = [&] {
    for (std::uint32_t i = 0; i < n * n; ++i) {
      a[i] = fraction(i);
      b[i] = fraction(i + n * n);
      c[i] = 0.0f;
    }
  };
  auto run = [&](std::size_t size) {
#if defined(PEER_OPENCL)
    opencl::local_memory square{tile * tile * sizeof(float)};
    opencl::launch(kernel, {size, size}, {tile, tile}, a, b, c, cl_ulong(size), square, square);
    opencl::finish();
#elif defined(PEER_OPENMP)
#pragma omp parallel for collapse(2)
    for (std::size_t i = 0; i < size; i += tile)
      for (std::size_t j = 0; j < size; j += tile) {
        float sum[tile][tile] = {};
        for (std::size_t t = 0; t < size; t += tile)
          for (std::size_t y = 0; y < tile; ++y)
            for (std::size_t k = 0; k < tile; ++k)
#pragma omp simd
              for (std::size_t x = 0; x < tile; ++x)
                sum[y][x] += a[(i + y) * size + t + k] * b[(t + k) * size + j + x];
        for (std::size_t y = 0; y < tile; ++y)
#pragma omp simd
          for (std::size_t x = 0; x < tile; ++x)
            c[(i + y) * size + j + x] = sum[y][x];
      }
#else
    queue()
        .submit([&](sycl::handler &h) {
          sycl::local_accessor<float, 2> at(sycl::range<2>(tile, tile), h),
              bt(sycl::range<2>(tile, tile), h);
          h.parallel_for(sycl::nd_range<2>(sycl::range<2>(size, size), sycl::range<2>(tile, tile)),
                         [=](sycl::nd_item<2> item) [[sycl::reqd_work_group_size(tile, tile)]] {
                           std::size_t row = item.get_global_id(0), column = item.get_global_id(1);
                           std::size_t y = item.get_local_id(0), x = item.get_local_id(1);
                           float sum = 0.0f;
                           for (std::size_t t = 0; t < size; t += tile) {
                             at[y][x] = a[row * size + t + x];
                             bt[y][x] = b[(t + y) * size + column];
                             sycl::group_barrier(item.get_group());
                             for (std::size_t k = 0; k < tile; ++k)
                               sum += at[y][k] * bt[k][x];
                             sycl::group_barrier(item.get_group());
                           }
                           c[row * size + column] = sum;
                         });
        })
        .wait();
#endif
  };
  if (argc > 1 && !std::strcmp(argv[1], "build")) {
    run(tile);
    std::printf("build %.9f\n", now() - start);
    return 0;
  }
  auto check = [&] {
    for (std::size_t i = 0; i < n * n; i += 241) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum += double(a[i / n * n + k]) * b[k * n + i % n];
      if (!near(c[i], sum, 1e-5 * n, i))
        return false;
    }
    return true;
  };
  return measure(8, prepare, [&] { run(n); }, check);
}
