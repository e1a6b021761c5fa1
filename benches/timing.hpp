// What the benchmarks share: time, and the best of several rounds.
#ifndef SCYTHE_BENCHES_TIMING_HPP
#define SCYTHE_BENCHES_TIMING_HPP

#include <algorithm>
#include <chrono>

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Seconds of the fastest of `rounds` calls, after one that does not count.
template <class F> double best_of(int rounds, F f) {
  f();
  double best = 1e300;
  for (int i = 0; i < rounds; ++i) {
    double start = now();
    f();
    best = std::min(best, now() - start);
  }
  return best;
}

#endif
