// Reductions and scans of floating-point numbers and truth values; all sizes of groups, and groups
// of more dimensions.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "group_reduce_scan.hpp"

namespace {

template <int D> sycl::range<D> make(std::size_t a, std::size_t b, std::size_t c) {
  if constexpr (D == 1)
    return sycl::range<1>(a * b * c);
  else if constexpr (D == 2)
    return sycl::range<2>(a * b, c);
  else
    return sycl::range<3>(a, b, c);
}

void large_and_many_dimensions(sycl::queue &q) {
  const std::size_t max = q.get_device().get_info<sycl::info::device::max_work_group_size>();
  for (std::size_t size : {std::size_t(255), std::size_t(1024), max - 1, max})
    reduce_scan::over_groups<int, sycl::plus<int>, 1>(q, sycl::range<1>(size), 2);
  reduce_scan::over_groups<int, sycl::plus<int>, 2>(q, make<2>(1, 5, 7), 2);
  reduce_scan::over_groups<int, sycl::plus<int>, 2>(q, make<2>(1, 4, 16), 2);
  reduce_scan::over_groups<int, sycl::plus<int>, 3>(q, make<3>(3, 5, 7), 2);
  reduce_scan::over_groups<int, sycl::plus<int>, 3>(q, make<3>(2, 2, 32), 2);
  reduce_scan::over_groups<int, sycl::plus<int>, 3>(q, make<3>(4, 3, 1), 2);
}

} // namespace

int main() {
  using namespace reduce_scan;
  sycl::queue q;
  arithmetic<float>(q);
  arithmetic<double>(q);
  logical<bool>(q);
  logical<int>(q);
  bitwise<bool>(q);
  large_and_many_dimensions(q);
  return check::result();
}
