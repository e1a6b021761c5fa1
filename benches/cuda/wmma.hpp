// A product of two matrices on tensor cores for both languages: each warp computes 2 by 2 tiles of
// 16 by 16, and a block has 2 by 2 warps. The matrices come straight from global memory.
#ifndef SCYTHE_BENCHES_CUDA_WMMA_HPP
#define SCYTHE_BENCHES_CUDA_WMMA_HPP

#include "side.hpp"

constexpr unsigned n = 4096, tile = 16, each = 2, warps = 2, warp = 32;
constexpr unsigned side = tile * each * warps, threads = warp * warps * warps;

// Measures `product(a, b, c)`, which computes and waits, and checks one result.
template <class T, class Product> void measure_product(const char *name, Product product) {
  std::vector<T> left(n * n), right(n * n);
  for (unsigned i = 0; i < n * n; ++i)
    left[i] = T(scrambled(i) - 0.5f), right[i] = T(scrambled(i + n * n) - 0.5f);
  const T *a = upload(left), *b = upload(right);
  float *c = device_memory<float>(n * n);
  measure(name, 10, [&] { product(a, b, c); });
  const unsigned row = 1234, column = 3210;
  double expected = 0;
  for (unsigned k = 0; k < n; ++k)
    expected += double(float(left[row * n + k])) * float(right[k * n + column]);
  check(name, download(c + row * n + column, 1)[0], expected, 1e-3);
}

#ifdef __CUDACC__

#include <mma.h>

template <class T> __global__ void multiply(const T *a, const T *b, float *c) {
  using namespace nvcuda::wmma;
  const unsigned self = threadIdx.x / warp;
  const unsigned row = blockIdx.y * side + self / warps * tile * each;
  const unsigned column = blockIdx.x * side + self % warps * tile * each;
  fragment<accumulator, tile, tile, tile, float> sum[each][each];
#pragma unroll
  for (unsigned i = 0; i < each; ++i)
#pragma unroll
    for (unsigned j = 0; j < each; ++j)
      fill_fragment(sum[i][j], 0.0f);
  for (unsigned k = 0; k < n; k += tile) {
    fragment<matrix_a, tile, tile, tile, T, row_major> x[each];
    fragment<matrix_b, tile, tile, tile, T, row_major> y[each];
#pragma unroll
    for (unsigned i = 0; i < each; ++i) {
      load_matrix_sync(x[i], a + (row + i * tile) * n + k, n);
      load_matrix_sync(y[i], b + k * n + column + i * tile, n);
    }
#pragma unroll
    for (unsigned i = 0; i < each; ++i)
#pragma unroll
      for (unsigned j = 0; j < each; ++j)
        mma_sync(sum[i][j], x[i], y[j], sum[i][j]);
  }
#pragma unroll
  for (unsigned i = 0; i < each; ++i)
#pragma unroll
    for (unsigned j = 0; j < each; ++j)
      store_matrix_sync(c + (row + i * tile) * n + column + j * tile, sum[i][j], n, mem_row_major);
}

template <class T> void measure_tensor_cores(const char *name) {
  measure_product<T>(name, [](const T *a, const T *b, float *c) {
    multiply<<<dim3(n / side, n / side), threads>>>(a, b, c);
    finish();
  });
}

#else

#include <sycl/ext/oneapi/matrix/matrix.hpp>

template <class T> void measure_tensor_cores(const char *name) {
  using namespace sycl::ext::oneapi::experimental::matrix;
  measure_product<T>(name, [](const T *a, const T *b, float *c) {
    queue()
        .parallel_for(
            sycl::nd_range<2>({n / side, n / side * threads}, {1, threads}),
            [=](sycl::nd_item<2> item) {
              constexpr auto space = sycl::access::address_space::global_space;
              constexpr auto plain = sycl::access::decorated::no;
              const auto left = sycl::address_space_cast<space, plain>(a);
              const auto right = sycl::address_space_cast<space, plain>(b);
              const auto result = sycl::address_space_cast<space, plain>(c);
              const auto group = item.get_sub_group();
              const unsigned thread = item.get_local_id(1), self = thread / warp;
              const unsigned group_row = item.get_group(0), group_column = item.get_group(1);
              const unsigned row = group_row * side + self / warps * tile * each;
              const unsigned column = group_column * side + self % warps * tile * each;
              joint_matrix<sycl::sub_group, float, use::accumulator, tile, tile> sum[each][each];
#pragma unroll
              for (unsigned i = 0; i < each; ++i)
#pragma unroll
                for (unsigned j = 0; j < each; ++j)
                  joint_matrix_fill(group, sum[i][j], 0.0f);
              for (unsigned k = 0; k < n; k += tile) {
                joint_matrix<sycl::sub_group, T, use::a, tile, tile, layout::row_major> x[each];
                joint_matrix<sycl::sub_group, T, use::b, tile, tile, layout::row_major> y[each];
#pragma unroll
                for (unsigned i = 0; i < each; ++i) {
                  joint_matrix_load(group, x[i], left + (row + i * tile) * n + k, n);
                  joint_matrix_load(group, y[i], right + k * n + column + i * tile, n);
                }
#pragma unroll
                for (unsigned i = 0; i < each; ++i)
#pragma unroll
                  for (unsigned j = 0; j < each; ++j)
                    joint_matrix_mad(group, sum[i][j], x[i], y[j], sum[i][j]);
              }
#pragma unroll
              for (unsigned i = 0; i < each; ++i)
#pragma unroll
                for (unsigned j = 0; j < each; ++j)
                  joint_matrix_store(group, sum[i][j],
                                     result + (row + i * tile) * n + column + j * tile, n,
                                     layout::row_major);
            })
        .wait();
  });
}

#endif

#endif
