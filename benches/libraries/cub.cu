// The algorithms of CUB, with temporary memory that is allocated once.
#include <cub/cub.cuh>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include "../cuda/device.cuh"

template <class T> void release(T *memory) { ok(cudaFree(memory)); }

#include "algorithms.hpp"

struct Odd {
  __host__ __device__ bool operator()(int x) const { return (x & 1) != 0; }
};
struct Product {
  __host__ __device__ double operator()(thrust::tuple<double, double> pair) const {
    return thrust::get<0>(pair) * thrust::get<1>(pair);
  }
};
struct Less {
  __host__ __device__ bool operator()(float a, float b) const { return a < b; }
};

struct Cub {
  void *scratch = nullptr, *keys_scratch = nullptr, *values_scratch = nullptr;
  std::size_t scratch_size = 0, keys_size = 0, values_size = 0;
  double *result = device_memory<double>(1);

  static void reserve(void *&memory, std::size_t &size, std::size_t wanted) {
    if (wanted <= size)
      return;
    ok(cudaFree(memory));
    ok(cudaMalloc(&memory, wanted));
    size = wanted;
  }
  // Calls `f` with the temporary memory that it needs.
  template <class F> void with_scratch(F f) {
    std::size_t wanted = 0;
    ok(f(nullptr, wanted));
    reserve(scratch, scratch_size, wanted);
    ok(f(scratch, wanted));
  }
  template <class T> T read() {
    T value;
    ok(cudaMemcpy(&value, result, sizeof(T), cudaMemcpyDeviceToHost));
    return value;
  }
  template <class T> void copy(const T *from, T *to, std::size_t n) {
    ok(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice));
  }
  void finish() { ::finish(); }

  float reduce(const float *data, std::size_t n) {
    float *sum = reinterpret_cast<float *>(result);
    with_scratch([&](void *memory, std::size_t &size) {
      return cub::DeviceReduce::Sum(memory, size, data, sum, n);
    });
    return read<float>();
  }
  void scan(const int *from, int *to, std::size_t n) {
    with_scratch([&](void *memory, std::size_t &size) {
      return cub::DeviceScan::InclusiveSum(memory, size, from, to, n);
    });
    finish();
  }
  double dot(const double *a, const double *b, std::size_t n) {
    const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(a, b));
    with_scratch([&](void *memory, std::size_t &size) {
      return cub::DeviceReduce::TransformReduce(memory, size, pairs, result, n,
                                                ::cuda::std::plus<>{}, Product(), 0.0);
    });
    return read<double>();
  }
  std::size_t keep_odd(const int *from, int *to, std::size_t n) {
    std::size_t *count = reinterpret_cast<std::size_t *>(result);
    with_scratch([&](void *memory, std::size_t &size) {
      return cub::DeviceSelect::If(memory, size, from, to, count, n, Odd());
    });
    return read<std::size_t>();
  }
  // The sorted data may be in the other buffer, so it is copied if it is: the caller's memory has
  // the result, as with other libraries.
  void sort(unsigned *keys, std::size_t n) {
    reserve(keys_scratch, keys_size, n * sizeof(unsigned));
    cub::DoubleBuffer<unsigned> both(keys, static_cast<unsigned *>(keys_scratch));
    with_scratch([&](void *memory, std::size_t &size) {
      return cub::DeviceRadixSort::SortKeys(memory, size, both, n);
    });
    if (both.Current() != keys)
      copy(both.Current(), keys, n);
    finish();
  }
  void sort_pairs(unsigned *keys, unsigned *values, std::size_t n) {
    reserve(keys_scratch, keys_size, n * sizeof(unsigned));
    reserve(values_scratch, values_size, n * sizeof(unsigned));
    cub::DoubleBuffer<unsigned> both(keys, static_cast<unsigned *>(keys_scratch));
    cub::DoubleBuffer<unsigned> carried(values, static_cast<unsigned *>(values_scratch));
    with_scratch([&](void *memory, std::size_t &size) {
      return cub::DeviceRadixSort::SortPairs(memory, size, both, carried, n);
    });
    if (both.Current() != keys)
      copy(both.Current(), keys, n);
    if (carried.Current() != values)
      copy(carried.Current(), values, n);
    finish();
  }
  void sort_by_comparison(float *keys, std::size_t n) {
    with_scratch([&](void *memory, std::size_t &size) {
      return cub::DeviceMergeSort::SortKeys(memory, size, keys, n, Less());
    });
    finish();
  }
};

int main(int argc, char **argv) {
  Cub library;
  return run(library, argc, argv);
}
