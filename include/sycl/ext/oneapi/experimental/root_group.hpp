// `root_group`: all work-items of a kernel, and a barrier for them (`sycl_ext_oneapi_root_group`).
//
// Work-groups can only wait for each other if all of them run at the same time. No backend
// guarantees this for more than one work-group. `max_num_work_groups` therefore returns one, a
// kernel with `use_root_sync` can have one work-group, and its barrier is the work-group barrier.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ROOT_GROUP_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ROOT_GROUP_HPP

#include <sycl/ext/oneapi/free_function_queries.hpp>

namespace sycl {

namespace ext::oneapi::experimental {

namespace info::kernel_queue_specific {
struct max_num_work_groups {
  using return_type = std::size_t;
  static constexpr return_type scythe_answer = 1;
};
} // namespace info::kernel_queue_specific

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

  explicit root_group(const nd_item<Dimensions> &item) : item_(item) {}

private:
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

template <int Dimensions>
void group_barrier(ext::oneapi::experimental::root_group<Dimensions> g,
                   memory_scope fence_scope = memory_scope::device) {
  group_barrier(get_child_group(g), fence_scope);
}

} // namespace sycl

#endif
