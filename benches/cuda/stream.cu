// BabelStream's five kernels in double.
#include "device.cuh"

constexpr std::size_t n = std::size_t(1) << 28;
constexpr std::size_t block = 1024;
constexpr double scalar = 0.4;

__global__ void fill(double *a, double value) { a[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void copy(const double *a, double *c) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  c[i] = a[i];
}
__global__ void mul(double *b, const double *c) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  b[i] = scalar * c[i];
}
__global__ void add(const double *a, const double *b, double *c) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  c[i] = a[i] + b[i];
}
__global__ void triad(double *a, const double *b, const double *c) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  a[i] = b[i] + scalar * c[i];
}
__global__ void dot(const double *a, const double *b, double *sums) {
  __shared__ double part[block];
  std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  const std::size_t local = threadIdx.x;
  double x = 0;
  for (; i < n; i += std::size_t(blockDim.x) * gridDim.x)
    x += a[i] * b[i];
  part[local] = x;
  for (std::size_t offset = block / 2; offset > 0; offset /= 2) {
    __syncthreads();
    if (local < offset)
      part[local] += part[local + offset];
  }
  if (local == 0)
    sums[blockIdx.x] = part[0];
}

int main() {
  double *a = device_memory<double>(n), *b = device_memory<double>(n), *c = device_memory<double>(n);
  int processors = 0;
  ok(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const std::size_t groups = 4 * processors;
  double *sums = device_memory<double>(groups);
  auto start = [&] {
    fill<<<n / block, block>>>(a, 0.1);
    fill<<<n / block, block>>>(b, 0.2);
    fill<<<n / block, block>>>(c, 0.0);
    finish();
  };
  start();
  measure("copy", 20, [&] { copy<<<n / block, block>>>(a, c), finish(); });
  check("copy", download(c + n / 2, 1)[0], 0.1, 0);
  measure("mul", 20, [&] { mul<<<n / block, block>>>(b, c), finish(); });
  check("mul", download(b + n - 1, 1)[0], 0.1 * scalar, 1e-15);
  measure("add", 20, [&] { add<<<n / block, block>>>(a, b, c), finish(); });
  check("add", download(c, 1)[0], 0.1 + 0.1 * scalar, 1e-15);
  measure("triad", 20, [&] { triad<<<n / block, block>>>(a, b, c), finish(); });
  check("triad", download(a + n / 3, 1)[0], 0.1 * scalar + scalar * (0.1 + 0.1 * scalar), 1e-15);
  start();
  double sum = 0;
  measure("dot", 20, [&] {
    dot<<<groups, block>>>(a, b, sums);
    sum = 0;
    for (double part : download(sums, groups))
      sum += part;
  });
  check("dot", sum, 0.1 * 0.2 * double(n), 1e-10);
}
