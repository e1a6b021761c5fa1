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
  template <class Device> static return_type scythe_query(const Device &d) {
    return return_type(khr::info::device::max_work_group_range<Dimensions>::scythe_query(d));
  }
};

} // namespace sycl::ext::oneapi::experimental::info::device

#endif
