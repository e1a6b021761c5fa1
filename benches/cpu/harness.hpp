// What all programs of this folder share: memory, time, and the order of a measurement.
//
// Each program is one file with one algorithm for three contenders: a SYCL kernel, an OpenCL C
// kernel (-DPEER_OPENCL) and OpenMP loops (-DPEER_OPENMP). Data, sizes, work-group sizes and the
// check of the result are the same for all. Memory is shared between host and kernels in each:
// `malloc_shared`, fine-grained SVM, the C library's. A program calls `measure`, which prints
// `seconds N`: of its fastest repetition, from submission to completion.
#ifndef SCYTHE_BENCHES_CPU_HARNESS_HPP
#define SCYTHE_BENCHES_CPU_HARNESS_HPP

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if defined(PEER_OPENCL)
#include "opencl.hpp"
#elif defined(PEER_OPENMP)
#include <new>
#include <omp.h>
#else
#include <sycl/sycl.hpp>
#endif

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

#if defined(PEER_OPENCL)
template <class T> T *allocate(std::size_t count) {
  return static_cast<T *>(opencl::allocate(count * sizeof(T)));
}
#elif defined(PEER_OPENMP)
template <class T> T *allocate(std::size_t count) {
  return static_cast<T *>(::operator new(count * sizeof(T), std::align_val_t(4096)));
}
#else
inline sycl::queue &queue() {
  static sycl::queue q{sycl::cpu_selector_v, sycl::property::queue::in_order()};
  return q;
}
template <class T> T *allocate(std::size_t count) {
  T *memory = sycl::malloc_shared<T>(count, queue());
  if (!memory) {
    std::printf("cannot allocate %zu elements\n", count);
    std::exit(1);
  }
  return memory;
}
#endif

// A number that looks random, the same everywhere: from 0 to 2^32 - 1.
inline std::uint32_t scrambled(std::uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return i ^ (i >> 16);
}
// The same from 0 up to, but without, 1.
inline float fraction(std::uint32_t i) { return float(scrambled(i) >> 8) * 0x1p-24f; }

// Whether a result is what it should be; says so if not.
inline bool near(double seen, double expected, double tolerance, std::size_t where) {
  if (std::fabs(seen - expected) <= tolerance)
    return true;
  std::printf("element %zu is %.9g, expected %.9g\n", where, seen, expected);
  return false;
}

// `prepare` sets all data to their first state, which `check` counts from: one call of `run`.
// Repeats at least `repetitions` times, and for half a second.
template <class Prepare, class Run, class Check>
int measure(int repetitions, Prepare prepare, Run run, Check check) {
  prepare();
  run();
  if (!check())
    return 1;
  double best = 1e300, total = 0;
  for (int i = 0; i < repetitions || total < 0.5; ++i) {
    prepare();
    double start = now();
    run();
    double seconds = now() - start;
    best = seconds < best ? seconds : best;
    total += seconds;
  }
  if (!check())
    return 1;
  std::printf("seconds %.9f\n", best);
  return 0;
}

#endif
