// The maximum number of work-groups of a kernel (`sycl_ext_oneapi_max_work_group_query`), the
// earlier form of `sycl_khr_max_work_group_queries`.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_MAX_WORK_GROUPS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_MAX_WORK_GROUPS_HPP

#include <sycl/id.hpp>
#include <sycl/khr/max_work_group_queries.hpp>

namespace sycl::ext::oneapi::experimental::info::device {

struct max_global_work_groups : khr::info::device::max_work_group_range_size {};

template <int Dimensions> struct max_work_groups {
  using return_type = id<Dimensions>;
  // At most 2^31 - 1, because programs for DPC++ keep these numbers in variables of type 'int'.
  template <class Device> static return_type scythe_query(const Device &d) {
    return_type most(khr::info::device::max_work_group_range<Dimensions>::scythe_query(d));
    for (int i = 0; i < Dimensions; ++i)
      most[i] = most[i] < 0x7fffffff ? most[i] : 0x7fffffff;
    return most;
  }
};

} // namespace sycl::ext::oneapi::experimental::info::device

#endif
