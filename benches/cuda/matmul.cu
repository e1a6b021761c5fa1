// A product of two matrices: tiles of 64 by 64 through shared memory, 4 by 4 results for each thread.
#include "device.cuh"

constexpr unsigned n = 4096, tile = 64, depth = 16, each = 4, side = tile / each;

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
  std::vector<float> left(n * n), right(n * n);
  for (unsigned i = 0; i < n * n; ++i)
    left[i] = scrambled(i) - 0.5f, right[i] = scrambled(i + n * n) - 0.5f;
  const float *a = upload(left), *b = upload(right);
  float *c = device_memory<float>(n * n);
  measure("matmul", 10, [&] { product<<<dim3(n / tile, n / tile), dim3(side, side)>>>(a, b, c), finish(); });
  const unsigned row = 1234, column = 3210;
  double expected = 0;
  for (unsigned k = 0; k < n; ++k)
    expected += double(left[row * n + k]) * right[k * n + column];
  check("matmul", download(c + row * n + column, 1)[0], expected, 1e-3);
}
