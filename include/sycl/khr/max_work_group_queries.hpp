// How many work-groups a kernel may have (`sycl_khr_max_work_group_queries`).
//
// In all: as many as work-items, whose number must fit 63 bits wherever the kernel runs. In one
// dimension: as many on CPUs, whose indices have 64 bits, and what fits 32 bits on NVIDIA's GPUs,
// where launches that are too large for the grid run in parts. OpenCL has no such question, and its
// launches are not divided. Its GPUs are promised 32 bits in all, which is what Intel's count in
// each dimension.
#ifndef SCYTHE_KHR_MAX_WORK_GROUP_QUERIES_HPP
#define SCYTHE_KHR_MAX_WORK_GROUP_QUERIES_HPP

#include <sycl/backend.hpp>
#include <sycl/range.hpp>

#define SYCL_KHR_MAX_WORK_GROUP_QUERIES 1

namespace sycl::khr::info::device {

struct max_work_group_range_size {
  using return_type = std::size_t;
  template <class Device> static return_type scythe_ask(const Device &d) {
    return d.is_cpu() || d.get_backend() != backend::opencl ? ~return_type(0) >> 1
                                                            : return_type(0xffffffff);
  }
};

template <int Dimensions = 3> struct max_work_group_range {
  static_assert(Dimensions >= 1 && Dimensions <= 3,
                "max_work_group_range: the number of dimensions must be 1, 2 or 3");
  using return_type = range<Dimensions>;
  template <class Device> static return_type scythe_ask(const Device &d) {
    const std::size_t most =
        d.is_cpu() ? max_work_group_range_size::scythe_ask(d) : std::size_t(0xffffffff);
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
