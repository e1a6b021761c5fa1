// A product of two matrices: tiles of 64 by 64 through shared memory, 4 by 4 results for each thread.
#include "matmul.hpp"

__global__ void product(const float *a, const float *b, float *c) {
  __shared__ float as[depth][tile], bs[depth][tile];
  const unsigned ty = threadIdx.y, tx = threadIdx.x, id = ty * side + tx;
  const unsigned row = blockIdx.y * tile, column = blockIdx.x * tile;
  float sum[each][each] = {};
  for (unsigned k = 0; k < n; k += depth) {
#pragma unroll
    for (unsigned i = id; i < tile * depth; i += side * side) {
      as[i % depth][i / depth] = a[(row + i / depth) * n + k + i % depth];
      bs[i / tile][i % tile] = b[(k + i / tile) * n + column + i % tile];
    }
    __syncthreads();
#pragma unroll
    for (unsigned kk = 0; kk < depth; ++kk) {
      float x[each], y[each];
#pragma unroll
      for (unsigned i = 0; i < each; ++i)
        x[i] = as[kk][ty * each + i], y[i] = bs[kk][tx * each + i];
#pragma unroll
      for (unsigned i = 0; i < each; ++i)
#pragma unroll
        for (unsigned j = 0; j < each; ++j)
          sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < each; ++i)
#pragma unroll
    for (unsigned j = 0; j < each; ++j)
      c[(row + ty * each + i) * n + column + tx * each + j] = sum[i][j];
}

int main() {
  measure_product([](const float *a, const float *b, float *c) {
    product<<<dim3(n / tile, n / tile), dim3(side, side)>>>(a, b, c);
    finish();
  });
}
