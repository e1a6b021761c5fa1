// What only the host's library has, and what the SYCL headers forbid in kernels.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <array>
#include <iostream>
#include <sycl/sycl.hpp>
#undef NDEBUG
#include <cassert>

int forbidden(int i) __attribute__((annotate("scythe::error", "kernels must not do this")));
int forbidden(int i) { return i; } // NOTE: 'forbidden' declared here
int provided(int) __attribute__((annotate("scythe::device_library")));

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  std::array<int, 4> array{};
  q.single_task<class k>([=] { // NOTE: called by kernel 'k'
    assert(p[0] > 0);
    p[1] = forbidden(1); // ERROR: kernels must not do this [scythe-E0113]
    p[2] = provided(1);
    p[3] = array[p[0]];
  });
  assert(forbidden(1));
  std::cout << array.at(1);
}
