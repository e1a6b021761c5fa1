// What each of 20,000 empty kernels costs by the driver API, from the first launch to the end of
// the last one.
#include "device.cuh"
#include <cuda.h>

__global__ void empty() {}

int main() {
  constexpr int count = 20000;
  CUstream stream;
  cudaFunction_t function;
  ok(cudaFree(nullptr));
  ok(cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(empty)));
  if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
    return std::printf("cuStreamCreate failed\n"), 1;
  measure("launch", 20, [&] {
    for (int i = 0; i < count; ++i)
      if (cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr) != CUDA_SUCCESS)
        std::printf("cuLaunchKernel failed\n"), std::exit(1);
    if (cuStreamSynchronize(stream) != CUDA_SUCCESS)
      std::printf("cuStreamSynchronize failed\n"), std::exit(1);
  });
}
