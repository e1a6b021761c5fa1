// The algorithms of Thrust.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "../cuda/device.cuh"

template <class T> void release(T *memory) { ok(cudaFree(memory)); }

#include "algorithms.hpp"

struct Odd {
  __host__ __device__ bool operator()(int x) const { return (x & 1) != 0; }
};
// Thrust sorts by digits if it knows the comparison, and otherwise by merging.
struct Less {
  __host__ __device__ bool operator()(float a, float b) const { return a < b; }
};

struct Thrust {
  template <class T> void copy(const T *from, T *to, std::size_t n) {
    ok(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice));
  }
  void finish() { ::finish(); }

  float reduce(const float *data, std::size_t n) {
    return thrust::reduce(thrust::device, data, data + n, 0.0f);
  }
  void scan(const int *from, int *to, std::size_t n) {
    thrust::inclusive_scan(thrust::device, from, from + n, to);
    finish();
  }
  double dot(const double *a, const double *b, std::size_t n) {
    return thrust::inner_product(thrust::device, a, a + n, b, 0.0);
  }
  std::size_t keep_odd(const int *from, int *to, std::size_t n) {
    return thrust::copy_if(thrust::device, from, from + n, to, Odd()) - to;
  }
  void sort(unsigned *keys, std::size_t n) {
    thrust::sort(thrust::device, keys, keys + n);
    finish();
  }
  void sort_pairs(unsigned *keys, unsigned *values, std::size_t n) {
    thrust::sort_by_key(thrust::device, keys, keys + n, values);
    finish();
  }
  void sort_by_comparison(float *keys, std::size_t n) {
    thrust::sort(thrust::device, keys, keys + n, Less());
    finish();
  }
};

int main(int argc, char **argv) {
  Thrust library;
  return run(library, argc, argv);
}
