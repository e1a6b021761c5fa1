// CUDA's side: errors end the program, memory comes from the device, and data from the host.
#ifndef SCYTHE_BENCHES_CUDA_DEVICE_CUH
#define SCYTHE_BENCHES_CUDA_DEVICE_CUH

#include "measure.hpp"
#include <cuda_runtime.h>
#include <vector>

inline void ok(cudaError_t error) {
  if (error != cudaSuccess) {
    std::printf("CUDA: %s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

template <class T> T *device_memory(std::size_t count) {
  T *memory = nullptr;
  ok(cudaMalloc(&memory, count * sizeof(T)));
  return memory;
}
template <class T> T *upload(const std::vector<T> &data) {
  T *memory = device_memory<T>(data.size());
  ok(cudaMemcpy(memory, data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}
template <class T> std::vector<T> download(const T *memory, std::size_t count) {
  std::vector<T> data(count);
  ok(cudaMemcpy(data.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return data;
}
inline void finish() {
  ok(cudaGetLastError());
  ok(cudaDeviceSynchronize());
}

#endif
