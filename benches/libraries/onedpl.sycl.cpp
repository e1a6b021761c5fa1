// The algorithms of oneDPL.
#include <oneapi/dpl/algorithm>
#include <oneapi/dpl/execution>
#include <oneapi/dpl/iterator>
#include <oneapi/dpl/numeric>

#include "../cuda/device.hpp"

template <class T> void release(T *memory) { sycl::free(memory, queue()); }

#include "algorithms.hpp"

namespace dpl = oneapi::dpl;

struct OneDpl {
  // Every algorithm has a policy with its own name, from which oneDPL makes its kernels' names.
  template <class Name> static auto policy() {
    return dpl::execution::make_device_policy<Name>(queue());
  }
  template <class T> void copy(const T *from, T *to, std::size_t n) {
    queue().memcpy(to, from, n * sizeof(T));
  }
  void finish() { queue().wait(); }

  float reduce(const float *data, std::size_t n) {
    return dpl::reduce(policy<class Reduce>(), data, data + n, 0.0f);
  }
  void scan(const int *from, int *to, std::size_t n) {
    dpl::inclusive_scan(policy<class Scan>(), from, from + n, to);
  }
  double dot(const double *a, const double *b, std::size_t n) {
    return dpl::transform_reduce(policy<class Dot>(), a, a + n, b, 0.0);
  }
  std::size_t keep_odd(const int *from, int *to, std::size_t n) {
    const auto odd = [](int x) { return (x & 1) != 0; };
    return dpl::copy_if(policy<class KeepOdd>(), from, from + n, to, odd) - to;
  }
  void sort(unsigned *keys, std::size_t n) { dpl::sort(policy<class Sort>(), keys, keys + n); }
  void sort_pairs(unsigned *keys, unsigned *values, std::size_t n) {
    dpl::sort_by_key(policy<class SortPairs>(), keys, keys + n, values);
  }
  void sort_by_comparison(float *keys, std::size_t n) {
    const auto less = [](float a, float b) { return a < b; };
    dpl::sort(policy<class SortByComparison>(), keys, keys + n, less);
  }
};

int main(int argc, char **argv) {
  OneDpl library;
  return run(library, argc, argv);
}
