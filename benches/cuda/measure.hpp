// What all programs of this folder share: time, data and the line with the result.
//
// Each benchmark is two files with one algorithm: NAME.sycl.cpp for scythe, NAME.cu for nvcc.
// Sizes, blocks, data and the check of the result are the same in both. A program prints `NAME
// SECONDS` for its fastest repetition, from submission to completion.
#ifndef SCYTHE_BENCHES_CUDA_MEASURE_HPP
#define SCYTHE_BENCHES_CUDA_MEASURE_HPP

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Prints the fastest of `rounds` calls of `f`, which returns when its work is done, after two that
// do not count.
template <class F> void measure(const char *name, int rounds, F f) {
  f();
  f();
  double best = 1e300;
  for (int i = 0; i < rounds; ++i) {
    double start = now();
    f();
    double seconds = now() - start;
    best = seconds < best ? seconds : best;
  }
  std::printf("%s %.9f\n", name, best);
}

// Ends the program where a result is not what it must be.
inline void check(const char *name, double seen, double expected, double tolerance) {
  double error =
      std::fabs(seen - expected) / (std::fabs(expected) > 1e-30 ? std::fabs(expected) : 1);
  if (!(error <= tolerance)) {
    std::printf("%s is %.17g, expected %.17g\n", name, seen, expected);
    std::exit(1);
  }
}

// A number that looks random, the same everywhere: from 0 to 1.
inline float scrambled(std::uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return float((i ^ (i >> 16)) >> 8) / 16777216.0f;
}

#endif
