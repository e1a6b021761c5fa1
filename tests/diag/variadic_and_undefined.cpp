// Variadic functions and undefined functions. SYCL_EXTERNAL functions may be undefined.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>

int sum(int n, ...) { // NOTE: 'sum' declared here
  va_list list;
  va_start(list, n);
  int total = 0;
  while (n--)
    total += va_arg(list, int); // ERROR: SYCL kernel cannot use 'va_arg' [scythe-E0106]
  va_end(list);
  return total;
}
int missing(int); // NOTE: 'missing' declared here
template <class T> T never_defined(T);
SYCL_EXTERNAL int provided(int);
template <class... Ts> int pack(Ts... ts) { return (0 + ... + ts); }

int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(4, q);
  q.single_task<class k>([=] { // NOTE: called by kernel 'k'
    p[0] = sum(2, 1, 2); // ERROR: SYCL kernel cannot call a variadic function [scythe-E0106]
    p[1] = missing(1); // ERROR: SYCL kernel cannot call an undefined function without SYCL_EXTERNAL attribute [scythe-E0105]
    p[2] = never_defined(1); // ERROR: SYCL kernel cannot call an undefined function without SYCL_EXTERNAL attribute [scythe-E0105]
    std::scanf("%f", p); // ERROR: SYCL kernel cannot call a variadic function [scythe-E0106]
    p[3] = provided(1) + pack(1, 2) + std::sin(p[0]) + std::pow(p[1], 2.f) + std::abs(-3);
    std::memcpy(p, p + 1, 4);
  });
  return sum(1, 2);
}
