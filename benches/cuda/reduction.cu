// The sum of 2^28 numbers: each thread many of them, then warps, blocks and one atomic addition for each of those.
#include "device.cuh"

constexpr std::size_t n = std::size_t(1) << 28;
constexpr unsigned block = 512;

__global__ void fill(float *data) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  data[i] = float(i % 7);
}
__device__ double warp_sum(double x) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    x += __shfl_xor_sync(0xffffffff, x, offset);
  return x;
}
__global__ void reduce(const float *data, double *sum) {
  __shared__ double parts[32];
  double x = 0;
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
       i += std::size_t(gridDim.x) * blockDim.x)
    x += data[i];
  x = warp_sum(x);
  const unsigned lane = threadIdx.x % 32, number = threadIdx.x / 32;
  if (lane == 0)
    parts[number] = x;
  __syncthreads();
  if (number == 0) {
    x = warp_sum(lane < block / 32 ? parts[lane] : 0);
    if (lane == 0)
      atomicAdd(sum, x);
  }
}

int main() {
  float *data = device_memory<float>(n);
  double *sum = device_memory<double>(1);
  int processors = 0;
  ok(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const std::size_t groups = 8 * processors;
  fill<<<n / block, block>>>(data);
  finish();
  measure("reduction", 20, [&] {
    ok(cudaMemsetAsync(sum, 0, sizeof(double)));
    reduce<<<groups, block>>>(data, sum);
    finish();
  });
  double expected = 0;
  for (int i = 0; i < 7; ++i)
    expected += double(i) * double(n / 7 + (std::size_t(i) < n % 7));
  check("reduction", download(sum, 1)[0], expected, 1e-12);
}
