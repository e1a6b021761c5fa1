// A product of two matrices for both languages: tiles of 64 by 64, 4 by 4 results for each
// work-item.
#ifndef SCYTHE_BENCHES_CUDA_MATMUL_HPP
#define SCYTHE_BENCHES_CUDA_MATMUL_HPP

#include "side.hpp"

constexpr unsigned n = 4096, tile = 64, depth = 16, each = 4, side = tile / each;

// Measures `product(a, b, c)`, which computes and waits, and checks one result.
template <class Product> void measure_product(Product product) {
  std::vector<float> left(n * n), right(n * n);
  for (unsigned i = 0; i < n * n; ++i)
    left[i] = scrambled(i) - 0.5f, right[i] = scrambled(i + n * n) - 0.5f;
  const float *a = upload(left), *b = upload(right);
  float *c = device_memory<float>(n * n);
  measure("matmul", 10, [&] { product(a, b, c); });
  const unsigned row = 1234, column = 3210;
  double expected = 0;
  for (unsigned k = 0; k < n; ++k)
    expected += double(left[row * n + k]) * right[k * n + column];
  check("matmul", download(c + row * n + column, 1)[0], expected, 1e-3);
}

#endif
