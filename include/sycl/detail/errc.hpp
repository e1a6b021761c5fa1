// The error codes of SYCL 2020, in the specification's order. The numbers are the status values of
// the C interface.
#ifndef SCYTHE_DETAIL_ERRC_HPP
#define SCYTHE_DETAIL_ERRC_HPP

namespace sycl {

enum class errc : int {
  success = 0,
  runtime = 1,
  kernel = 2,
  accessor = 3,
  nd_range = 4,
  event = 5,
  kernel_argument = 6,
  build = 7,
  invalid = 8,
  memory_allocation = 9,
  platform = 10,
  profiling = 11,
  feature_not_supported = 12,
  kernel_not_supported = 13,
  backend_mismatch = 14,
};

} // namespace sycl

#endif
