// A product of two matrices: tiles of 64 by 64 through local memory, 4 by 4 results for each
// work-item.
#include "matmul.hpp"

int main() {
  measure_product([](const float *a, const float *b, float *c) {
    queue()
        .submit([&](sycl::handler &h) {
          sycl::local_accessor<float, 1> as(depth * tile, h), bs(depth * tile, h);
          h.parallel_for(
              sycl::nd_range<2>({n / each, n / each}, {side, side}), [=](sycl::nd_item<2> item) {
                const unsigned ty = item.get_local_id(0), tx = item.get_local_id(1),
                               id = ty * side + tx;
                const unsigned row = item.get_group(0) * tile, column = item.get_group(1) * tile;
                float sum[each][each] = {};
                for (unsigned k = 0; k < n; k += depth) {
#pragma unroll
                  for (unsigned i = id; i < tile * depth; i += side * side) {
                    as[i % depth * tile + i / depth] = a[(row + i / depth) * n + k + i % depth];
                    bs[i / tile * tile + i % tile] = b[(k + i / tile) * n + column + i % tile];
                  }
                  sycl::group_barrier(item.get_group());
#pragma unroll
                  for (unsigned kk = 0; kk < depth; ++kk) {
                    float x[each], y[each];
#pragma unroll
                    for (unsigned i = 0; i < each; ++i)
                      x[i] = as[kk * tile + ty * each + i], y[i] = bs[kk * tile + tx * each + i];
#pragma unroll
                    for (unsigned i = 0; i < each; ++i)
#pragma unroll
                      for (unsigned j = 0; j < each; ++j)
                        sum[i][j] += x[i] * y[j];
                  }
                  sycl::group_barrier(item.get_group());
                }
#pragma unroll
                for (unsigned i = 0; i < each; ++i)
#pragma unroll
                  for (unsigned j = 0; j < each; ++j)
                    c[(row + ty * each + i) * n + column + tx * each + j] = sum[i][j];
              });
        })
        .wait();
  });
}
