// Variables with static storage: only constants that are known at compile time exist on a device.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <cmath>
#include <sycl/sycl.hpp>

int counter = 0; // NOTE: 'counter' declared here
const double computed = std::sqrt(static_cast<double>(counter)); // NOTE: 'computed' declared here
const int table[3] = {1, 2, 3};
constexpr float pi = 3.14f;
const int limit = 7;
thread_local int per_thread;
extern const int elsewhere;
struct Holder {
  static int shared;
  static constexpr int fixed = 4;
};
int Holder::shared = 1;
struct Cache {
  mutable int hits = 0;
};
const Cache cache;

int next() {
  static int state = 0; // ERROR: SYCL kernel cannot use a non-const static local variable [scythe-E0109]
  static const int step = 2;
  static constexpr int steps[] = {1, 2};
  return step + steps[1];
}
int host_only() { return ++counter + Holder::shared; }

int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(8, q);
  q.single_task<class k>([=] {
    p[0] = counter; // ERROR: SYCL kernel cannot use a non-const global variable [scythe-E0109]
    p[1] = computed; // ERROR: SYCL kernel cannot use a dynamically initialised global variable [scythe-E0109]
    p[2] = table[p[0] > 1]; // constant
    p[3] = pi * limit + Holder::fixed;
    p[4] = Holder::shared; // ERROR: SYCL kernel cannot use a non-const global variable [scythe-E0109]
    p[5] = per_thread; // ERROR: SYCL kernel cannot use a thread-local global variable [scythe-E0109]
    p[6] = elsewhere; // ERROR: SYCL kernel cannot use a global variable that is not defined in this translation unit [scythe-E0109]
    p[7] = cache.hits; // ERROR: SYCL kernel cannot use a non-const global variable [scythe-E0109]
    p[0] = next();
  });
  return host_only();
}
