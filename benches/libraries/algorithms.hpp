// Algorithms on a GPU, from the libraries that a program may take them from: oneDPL on SYCL, Thrust
// and CUB on CUDA. A library is a class with these functions on memory of the device:
//
//   void copy(const T *from, T *to, n)                    float reduce(const float *data, n)
//   void scan(const int *from, int *to, n)                double dot(const double *, const double
//   *, n) void sort(unsigned *keys, n)                          void sort_pairs(unsigned *,
//   unsigned *, n) std::size_t keep_odd(const int *from, int *to, n)     void finish()
//
// and may have `void sort_by_comparison(float *keys, n)`, which orders by a comparison of its own.
// All functions return when their work is done. A program prints `NAME SECONDS` for the fastest of
// its repetitions, after two that do not count.
#ifndef SCYTHE_BENCHES_LIBRARIES_ALGORITHMS_HPP
#define SCYTHE_BENCHES_LIBRARIES_ALGORITHMS_HPP

#include "../cuda/side.hpp"
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

// Measures `f` without `prepare`, which runs before each repetition.
template <class P, class F> void measure_after(const std::string &name, P prepare, F f) {
  double best = 1e300;
  for (int i = 0; i < 12; ++i) {
    prepare();
    double start = now();
    f();
    double seconds = now() - start;
    if (i >= 2)
      best = std::min(best, seconds);
  }
  std::printf("%s %.9f\n", name.c_str(), best);
}

inline std::uint32_t scrambled_bits(std::uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return i ^ (i >> 16);
}

template <class L, class T> std::vector<T> fetch(L &library, const T *memory, std::size_t n) {
  library.finish();
  return download(memory, n);
}

template <class L> void sums(L &library, const std::string &size, std::size_t n) {
  const auto nothing = [] {};
  std::vector<float> data(n);
  std::vector<int> numbers(n);
  std::vector<double> reals(n);
  for (std::size_t i = 0; i < n; ++i) {
    data[i] = float(i % 2);
    numbers[i] = int(i % 3) - 1;
    reals[i] = double(i % 5);
  }
  float *d = upload(data);
  float sum = 0;
  measure_after("reduce_" + size, nothing, [&] { sum = library.reduce(d, n); });
  // A float adds integers exactly only up to 2^24.
  check("reduce", sum, double(n / 2), 1e-6);

  int *from = upload(numbers), *to = device_memory<int>(n);
  measure_after("scan_" + size, nothing, [&] { library.scan(from, to, n); });
  std::vector<int> expected(n);
  std::partial_sum(numbers.begin(), numbers.end(), expected.begin());
  check("scan", fetch(library, to, n) == expected, 1, 0);

  std::size_t kept = 0;
  measure_after("copy_if_" + size, nothing, [&] { kept = library.keep_odd(from, to, n); });
  numbers.erase(std::remove(numbers.begin(), numbers.end(), 0), numbers.end());
  check("copy_if", double(kept), double(numbers.size()), 0);
  check("copy_if", fetch(library, to, kept) == numbers, 1, 0);

  double *a = upload(reals), product = 0;
  measure_after("dot_" + size, nothing, [&] { product = library.dot(a, a, n); });
  double squares = 0;
  for (double x : reals)
    squares += x * x;
  check("dot", product, squares, 1e-12);
  release(d), release(from), release(to), release(a);
}

template <class L> void sorts(L &library, const std::string &size, std::size_t n) {
  std::vector<unsigned> keys(n), places(n);
  std::vector<float> reals(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = scrambled_bits(std::uint32_t(i));
    places[i] = unsigned(i);
    reals[i] = scrambled(std::uint32_t(i));
  }
  unsigned *from = upload(keys), *order = upload(places);
  unsigned *to = device_memory<unsigned>(n), *values = device_memory<unsigned>(n);
  const auto reset = [&] {
    library.copy(from, to, n);
    library.copy(order, values, n);
    library.finish();
  };
  measure_after("sort_" + size, reset, [&] { library.sort(to, n); });
  std::vector<unsigned> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  check("sort", fetch(library, to, n) == sorted, 1, 0);

  measure_after("sort_pairs_" + size, reset, [&] { library.sort_pairs(to, values, n); });
  check("sort_pairs", fetch(library, to, n) == sorted, 1, 0);
  const std::vector<unsigned> seen = fetch(library, values, n);
  bool right = true;
  for (std::size_t i = 0; i < n; ++i)
    right = right && keys[seen[i]] == sorted[i];
  check("sort_pairs", right, 1, 0);

  if constexpr (requires(float *data) { library.sort_by_comparison(data, n); }) {
    float *f = upload(reals), *g = device_memory<float>(n);
    const auto again = [&] { library.copy(f, g, n), library.finish(); };
    measure_after("sort_by_comparison_" + size, again, [&] { library.sort_by_comparison(g, n); });
    std::sort(reals.begin(), reals.end());
    check("sort_by_comparison", fetch(library, g, n) == reals, 1, 0);
    release(f), release(g);
  }
  release(from), release(order), release(to), release(values);
}

// Runs all algorithms on 2^16 elements and on many, by default 2^27; for a test, the program's
// argument is a smaller exponent.
template <class L> int run(L &library, int argc, char **argv) {
  const int large = argc > 1 ? std::atoi(argv[1]) : 27;
  sums(library, "16", std::size_t(1) << 16);
  sums(library, std::to_string(large), std::size_t(1) << large);
  sorts(library, "16", std::size_t(1) << 16);
  sorts(library, std::to_string(large), std::size_t(1) << large);
  return 0;
}

#endif
