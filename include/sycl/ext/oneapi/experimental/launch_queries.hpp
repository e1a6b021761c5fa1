// How a kernel can be launched on a queue (`sycl_ext_oneapi_launch_queries`,
// `sycl_ext_oneapi_group_occupancy_queries`): descriptors for `kernel::ext_oneapi_get_info`.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_LAUNCH_QUERIES_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_LAUNCH_QUERIES_HPP

#include <sycl/detail/abi_order.hpp>
#include <sycl/detail/handle.hpp>
#include <sycl/exception.hpp>
#include <sycl/id.hpp>
#include <sycl/range.hpp>

namespace sycl {

namespace detail {

// Returns the facts about a kernel with work-groups of this size.
template <int D, class Access, class Kernel, class Queue>
scythe_kernel_facts launch_facts(const Kernel &k, const Queue &q, const range<D> &local,
                                 std::size_t bytes) {
  if (local.size() == 0)
    fail(errc::invalid, "kernel::ext_oneapi_get_info: the size of the work-group is 0");
  std::uint64_t size[3];
  to_abi_order(size, local, 1);
  return Access::launch_facts(k, q, size, bytes);
}

} // namespace detail

namespace ext::oneapi::experimental::info {

namespace kernel_queue_specific {

struct max_work_group_size {
  using return_type = std::size_t;
  template <class Access, class Kernel, class Queue>
  static return_type scythe_ask(const Kernel &k, const Queue &q) {
    return sycl::detail::launch_facts<1, Access>(k, q, range<1>(1), 0).max_work_group_size;
  }
};

template <std::uint32_t Dimensions> struct max_work_item_sizes {
  using return_type = id<Dimensions>;
  template <class Access, class Kernel, class Queue>
  static return_type scythe_ask(const Kernel &k, const Queue &q) {
    const std::size_t most = max_work_group_size::scythe_ask<Access>(k, q);
    return_type sizes = Access::template item_sizes<static_cast<int>(Dimensions)>(q.get_device());
    for (int d = 0; d < static_cast<int>(Dimensions); ++d)
      sizes[d] = sizes[d] < most ? sizes[d] : most;
    return sizes;
  }
};

// The most work-groups of a kernel with `use_root_sync`.
struct max_num_work_groups {
  using return_type = std::size_t;
  template <class Access, class Kernel, class Queue, int D>
  static return_type scythe_ask(const Kernel &k, const Queue &q, const range<D> &local,
                                std::size_t bytes = 0) {
    return sycl::detail::launch_facts<D, Access>(k, q, local, bytes).together;
  }
};

// The name in the first version of root groups. Work-groups have the largest size.
struct max_num_work_group_sync {
  using return_type = std::size_t;
  template <class Access, class Kernel, class Queue>
  static return_type scythe_ask(const Kernel &k, const Queue &q) {
    const range<1> most(max_work_group_size::scythe_ask<Access>(k, q));
    return max_num_work_groups::scythe_ask<Access>(k, q, most);
  }
  template <class Access, class Kernel, class Queue, int D>
  static return_type scythe_ask(const Kernel &k, const Queue &q, const range<D> &local,
                                std::size_t bytes = 0) {
    return max_num_work_groups::scythe_ask<Access>(k, q, local, bytes);
  }
};

// The name in later versions, whose launch properties do not change the limit.
struct max_num_work_groups_sync : max_num_work_groups {};

// The work-groups that run on one compute unit at the same time.
struct recommended_num_work_groups {
  using return_type = std::size_t;
  template <class Access, class Kernel, class Queue, int D>
  static return_type scythe_ask(const Kernel &k, const Queue &q, const range<D> &local,
                                std::size_t bytes = 0) {
    const scythe_kernel_facts facts = sycl::detail::launch_facts<D, Access>(k, q, local, bytes);
    if (facts.together != 0 && facts.per_unit == 0)
      sycl::detail::fail(errc::feature_not_supported,
                         "sycl_ext_oneapi_group_occupancy_queries: device '%s' does not tell how "
                         "many work-groups a compute unit runs",
                         Access::label(q.get_device()).c_str());
    return facts.per_unit;
  }
};

struct max_sub_group_size {
  using return_type = std::uint32_t;
  template <class Access, class Kernel, class Queue, int D>
  static return_type scythe_ask(const Kernel &k, const Queue &q, const range<D> &local) {
    const scythe_kernel_facts facts = sycl::detail::launch_facts<D, Access>(k, q, local, 0);
    if (facts.together == 0)
      return 0;
    return facts.sub_group_size ? facts.sub_group_size
                                : Access::template sub_group_size<return_type>(k, q.get_device());
  }
};

struct num_sub_groups {
  using return_type = std::uint32_t;
  template <class Access, class Kernel, class Queue, int D>
  static return_type scythe_ask(const Kernel &k, const Queue &q, const range<D> &local) {
    const scythe_kernel_facts facts = sycl::detail::launch_facts<D, Access>(k, q, local, 0);
    if (facts.together == 0 || facts.sub_groups != 0)
      return static_cast<return_type>(facts.sub_groups);
    const auto width = Access::template sub_group_size<std::size_t>(k, q.get_device());
    return static_cast<return_type>((local.size() + width - 1) / width);
  }
};

} // namespace kernel_queue_specific

// The name in the specification.
namespace kernel {
using namespace kernel_queue_specific;
}

} // namespace ext::oneapi::experimental::info

} // namespace sycl

#endif
