// The maximum number of work-groups of a kernel (`sycl_khr_max_work_group_queries`).
//
// The number of work-items must fit in 63 bits, which also limits the total number of work-groups.
// In one dimension, CPUs have 64-bit indices and the same limit. NVIDIA GPUs allow 32 bits in one
// dimension, because the runtime splits launches that exceed the grid. OpenCL has no such query,
// and its launches are not split. OpenCL GPUs report 32 bits in total, the limit of Intel GPUs in
// each dimension.
#ifndef SCYTHE_KHR_MAX_WORK_GROUP_QUERIES_HPP
#define SCYTHE_KHR_MAX_WORK_GROUP_QUERIES_HPP

#include <sycl/backend.hpp>
#include <sycl/range.hpp>

namespace sycl::khr::info::device {

struct max_work_group_range_size {
  using return_type = std::size_t;
  template <class Device> static return_type scythe_query(const Device &d) {
    return d.is_cpu() || d.get_backend() != backend::opencl ? ~return_type(0) >> 1
                                                            : return_type(0xffffffff);
  }
};

template <int Dimensions = 3> struct max_work_group_range {
  static_assert(Dimensions >= 1 && Dimensions <= 3,
                "max_work_group_range: the number of dimensions must be 1, 2 or 3");
  using return_type = range<Dimensions>;
  template <class Device> static return_type scythe_query(const Device &d) {
    const std::size_t most =
        d.is_cpu() ? max_work_group_range_size::scythe_query(d) : std::size_t(0xffffffff);
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
