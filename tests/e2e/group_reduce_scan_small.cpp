// Reductions and scans of integers of 8 and 16 bits.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "group_reduce_scan.hpp"

int main() {
  using namespace reduce_scan;
  sycl::queue q;
  arithmetic<signed char>(q);
  arithmetic<unsigned char>(q);
  arithmetic<short>(q);
  arithmetic<unsigned short>(q);
  bitwise<unsigned char>(q);
  bitwise<short>(q);
  sizes<char, sycl::plus<char>>(q);
  return check::result();
}
