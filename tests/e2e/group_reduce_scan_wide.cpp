// Reductions and scans of integers of 32 and 64 bits.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "group_reduce_scan.hpp"

int main() {
  using namespace reduce_scan;
  sycl::queue q;
  arithmetic<int>(q);
  arithmetic<unsigned>(q);
  arithmetic<long>(q);
  arithmetic<unsigned long>(q);
  bitwise<int>(q);
  bitwise<unsigned long>(q);
  sizes<long long, sycl::plus<long long>>(q);
  sizes<unsigned long long, sycl::maximum<>>(q);
  return check::result();
}
