// One step of gravity between all pairs of bodies, tile by tile through shared memory.
#include "nbody.hpp"

__global__ void step(const body *in, body *out) {
  __shared__ body tile[block];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, local = threadIdx.x;
  const body me = in[i];
  float ax = 0, ay = 0, az = 0;
  for (unsigned first = 0; first < n; first += block) {
    tile[local] = in[first + local];
    __syncthreads();
#pragma unroll 32
    for (unsigned j = 0; j < block; ++j) {
      const body other = tile[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float near = dx * dx + dy * dy + dz * dz + 1e-6f;
      const float inverse = rsqrtf(near);
      const float pull = other.mass * inverse * inverse * inverse;
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    __syncthreads();
  }
  out[i] = {ax, ay, az, me.mass};
}

int main() {
  measure_step([](const body *in, body *out) {
    step<<<n / block, block>>>(in, out);
    finish();
  });
}
