// The signatures of CUDA 12 for functions that changed in CUDA 13, for libraries that are older
// than CUDA 13: Kokkos 4.6. Pass it to nvcc with `-include`.
#ifndef SCYTHE_BENCHES_LIBRARIES_CUDA13_HPP
#define SCYTHE_BENCHES_LIBRARIES_CUDA13_HPP

#include <cuda_runtime_api.h>

#if defined(__cplusplus) && CUDART_VERSION >= 13000

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t size, int device,
                                        cudaStream_t stream) {
  cudaMemLocation place{};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return cudaMemPrefetchAsync(memory, size, place, 0, stream);
}

#endif

#endif
