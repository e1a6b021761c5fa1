// How many work-groups a kernel may have (`sycl_khr_max_work_group_queries`): as many as there are work-items, whose
// number must fit 63 bits. Where a device takes fewer at once, the runtime launches the kernel in parts.
#ifndef SCYTHE_KHR_MAX_WORK_GROUP_QUERIES_HPP
#define SCYTHE_KHR_MAX_WORK_GROUP_QUERIES_HPP

#include <sycl/range.hpp>

#define SYCL_KHR_MAX_WORK_GROUP_QUERIES 1

namespace sycl::khr::info::device {

struct max_work_group_range_size {
  using return_type = std::size_t;
  template <class Device> static return_type scythe_ask(const Device &) { return ~return_type(0) >> 1; }
};

template <int Dimensions = 3> struct max_work_group_range {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "ranges have one to three dimensions");
  using return_type = range<Dimensions>;
  template <class Device> static return_type scythe_ask(const Device &d) {
    const std::size_t most = max_work_group_range_size::scythe_ask(d);
    if constexpr (Dimensions == 1)
      return {most};
    else if constexpr (Dimensions == 2)
      return {most, most};
    else
      return {most, most, most};
  }
};

} // namespace sycl::khr::info::device

#endif
