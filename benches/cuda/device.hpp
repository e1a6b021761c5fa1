// SYCL's side: an in-order queue on an NVIDIA GPU, memory of the device, and data from the host.
#ifndef SCYTHE_BENCHES_CUDA_DEVICE_HPP
#define SCYTHE_BENCHES_CUDA_DEVICE_HPP

#include "measure.hpp"
#include <sycl/sycl.hpp>
#include <vector>

inline sycl::queue &queue() {
  static sycl::queue q{sycl::gpu_selector_v, sycl::property::queue::in_order()};
  return q;
}

template <class T> T *device_memory(std::size_t count) {
  T *memory = sycl::malloc_device<T>(count, queue());
  if (!memory) {
    std::printf("cannot allocate %zu elements\n", count);
    std::exit(1);
  }
  return memory;
}
template <class T> T *upload(const std::vector<T> &data) {
  T *memory = device_memory<T>(data.size());
  queue().memcpy(memory, data.data(), data.size() * sizeof(T)).wait();
  return memory;
}
template <class T> std::vector<T> download(const T *memory, std::size_t count) {
  std::vector<T> data(count);
  queue().memcpy(data.data(), memory, count * sizeof(T)).wait();
  return data;
}

#endif
