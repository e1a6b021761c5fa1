// Direct and indirect recursion. Recursion of templates that ends at compile time is allowed.
// RUN: not device-pass -w %s 2> messages
// RUN: check-diagnostics %s < messages
// RUN: FileCheck --check-prefix=CHAIN %s < messages
#include <sycl/sycl.hpp>

int factorial(int n) { // NOTE: function 'factorial' implemented using recursion declared here
  return n < 2 ? 1 : n * factorial(n - 1); // ERROR: SYCL kernel cannot call a recursive function [scythe-E0104]
}
int pong(int n);
int ping(int n) { return n ? pong(n - 1) : 0; } // NOTE: function 'ping' implemented using recursion declared here // NOTE: called by 'ping'
int pong(int n) { return n ? ping(n - 1) : 1; } // ERROR: SYCL kernel cannot call a recursive function [scythe-E0104]
template <int N> int count() {
  if constexpr (N == 0)
    return 0;
  else
    return 1 + count<N - 1>();
}
int host_only(int n) { return n ? host_only(n - 1) : 0; }

// CHAIN: note: called by kernel 'k'
// CHAIN-NEXT: error: SYCL kernel cannot call a recursive function
// CHAIN-NEXT: note: function 'ping' implemented
// CHAIN-NEXT: note: called by 'ping'
// CHAIN-NEXT: note: called by 'operator()'
// CHAIN-NEXT: note: called by kernel 'k'
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(3, q);
  q.single_task<class k>([=] { // NOTE: called by kernel 'k'
    p[0] = factorial(5); // NOTE: called by 'operator()'
    p[1] = ping(5); // NOTE: called by 'operator()'
    p[2] = count<5>();
  });
  return host_only(3);
}
