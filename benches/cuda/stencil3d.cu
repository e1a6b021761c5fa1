// A stencil of seven points in three dimensions: each thread goes up through 48 planes.
#include "stencil3d.hpp"

__global__ void stencil(const float *in, float *out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned first = blockIdx.z * depth;
  const unsigned m = n, plane = m * m, edge = x == 0 || y == 0 || x == m - 1 || y == m - 1;
  unsigned i = (first * m + y) * m + x;
  float below = first == 0 ? 0 : in[i - plane], here = in[i];
#pragma unroll 4
  for (unsigned z = first; z < first + depth; ++z, i += plane) {
    const float above = z == m - 1 ? 0 : in[i + plane];
    out[i] = edge || z == 0 || z == m - 1
                 ? here
                 : 0.5f * here + 0.08f * (in[i - 1] + in[i + 1] + in[i - m] + in[i + m] + below + above);
    below = here;
    here = above;
  }
}

int main() {
  measure_stencil([](const float *in, float *out) {
    stencil<<<dim3(n / 64, n / 4, n / depth), dim3(64, 4, 1)>>>(in, out);
    finish();
  });
}
