// `root_group`: all work-items of a kernel, and a barrier for them (`sycl_ext_oneapi_root_group`).
//
// Work-groups can only wait for each other if all of them run at the same time. The CPU device and
// NVIDIA GPUs run as many as `max_num_work_groups` returns. Other devices, and host mode, guarantee
// nothing for more than one work-group.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ROOT_GROUP_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ROOT_GROUP_HPP

#include <sycl/detail/spirv_group.hpp>
#include <sycl/ext/oneapi/experimental/forward_progress.hpp>
#include <sycl/ext/oneapi/experimental/launch_queries.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>

#ifdef SCYTHE_DEVICE_PASS
// Waits until one work-item of each work-group has called this function.
SCYTHE_DEVICE_LIBRARY extern "C" void __scythe_root_group_wait() noexcept;
#endif

namespace sycl {

namespace ext::oneapi::experimental {

template <int Dimensions> class root_group {
public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::device;

  id_type get_group_id() const { return id_type(); }
  id_type get_local_id() const { return item_.get_global_id() - item_.get_offset(); }
  range_type get_group_range() const {
    range_type one = get_local_range();
    for (int d = 0; d < Dimensions; ++d)
      one[d] = 1;
    return one;
  }
  range_type get_local_range() const { return item_.get_global_range(); }
  range_type get_max_local_range() const { return get_local_range(); }
  linear_id_type get_group_linear_id() const { return 0; }
  linear_id_type get_local_linear_id() const { return item_.get_global_linear_id(); }
  linear_id_type get_group_linear_range() const { return 1; }
  linear_id_type get_local_linear_range() const { return get_local_range().size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  // The position and the number of the parts of the root group at a narrower scope.
  template <execution_scope Scope> auto get_id() const {
    if constexpr (is<Scope>(execution_scope::work_item))
      return get_local_id();
    else if constexpr (is<Scope>(execution_scope::work_group))
      return item_.get_group().get_group_id();
    else
      return id<1>(get_linear_id<Scope>());
  }
  template <execution_scope Scope> std::size_t get_linear_id() const {
    if constexpr (is<Scope>(execution_scope::work_item))
      return get_local_linear_id();
    else if constexpr (is<Scope>(execution_scope::work_group))
      return item_.get_group_linear_id();
    else {
      const sub_group part = item_.get_sub_group();
      return item_.get_group_linear_id() * part.get_group_linear_range() +
             part.get_group_linear_id();
    }
  }
  template <execution_scope Scope> auto get_range() const {
    if constexpr (is<Scope>(execution_scope::work_item))
      return get_local_range();
    else if constexpr (is<Scope>(execution_scope::work_group))
      return item_.get_group_range();
    else
      return range<1>(get_linear_range<Scope>());
  }
  template <execution_scope Scope> std::size_t get_linear_range() const {
    if constexpr (is<Scope>(execution_scope::work_item))
      return get_local_linear_range();
    else if constexpr (is<Scope>(execution_scope::work_group))
      return item_.get_group_range().size();
    else
      return item_.get_group_range().size() * item_.get_sub_group().get_group_linear_range();
  }

  explicit root_group(const nd_item<Dimensions> &item) : item_(item) {}

private:
  template <execution_scope Scope> static constexpr bool is(execution_scope scope) {
    static_assert(Scope != execution_scope::root_group,
                  "root_group: the scope must be narrower than root_group");
    return Scope == scope;
  }
  template <int D> friend group<D> get_child_group(root_group<D>);
  nd_item<Dimensions> item_;
};

template <int Dimensions> group<Dimensions> get_child_group(root_group<Dimensions> g) {
  return g.item_.get_group();
}
template <int Dimensions> sub_group get_child_group(group<Dimensions>) {
  return this_work_item::get_sub_group();
}

} // namespace ext::oneapi::experimental

namespace ext::oneapi::this_work_item {
template <int Dimensions> experimental::root_group<Dimensions> get_root_group() {
  return experimental::root_group<Dimensions>(get_nd_item<Dimensions>());
}
} // namespace ext::oneapi::this_work_item
namespace ext::oneapi::experimental {
namespace this_work_item {
using oneapi::this_work_item::get_root_group;
}
namespace this_kernel {
using oneapi::this_work_item::get_root_group;
}
} // namespace ext::oneapi::experimental

template <int Dimensions>
void group_barrier(ext::oneapi::experimental::root_group<Dimensions> g,
                   memory_scope fence_scope = memory_scope::device) {
  const auto group = get_child_group(g);
#ifdef SCYTHE_DEVICE_PASS
  // Between barriers of the work-group, the fences of the leader order the memory of all members.
  const bool wide = fence_scope == memory_scope::system;
  const memory_scope scope = wide ? memory_scope::system : memory_scope::work_group;
  group_barrier(group, scope);
  if (group.leader())
    __scythe_root_group_wait();
  group_barrier(group, scope);
#else
  group_barrier(group, fence_scope);
#endif
}

} // namespace sycl

#endif
