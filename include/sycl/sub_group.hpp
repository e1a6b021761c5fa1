// `sycl::sub_group`: the work-items of a work-group that run side by side.
//
// In device code the compiler decides which these are. In host mode they are `host_sub_group_size` neighbours by linear
// id.
#ifndef SCYTHE_SUB_GROUP_HPP
#define SCYTHE_SUB_GROUP_HPP

#include <sycl/detail/spirv_group.hpp>
#include <sycl/detail/work_item.hpp>

namespace sycl {

class sub_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id_type get_group_id() const { return id_type(get_group_linear_id()); }
  id_type get_local_id() const { return id_type(get_local_linear_id()); }
  range_type get_local_range() const { return range_type(get_local_linear_range()); }
  range_type get_group_range() const { return range_type(get_group_linear_range()); }
  range_type get_max_local_range() const { return range_type(max_size()); }
  bool leader() const { return get_local_linear_id() == 0; }

#ifdef SCYTHE_DEVICE_PASS
  linear_id_type get_group_linear_id() const { return __spirv_BuiltInSubgroupId(); }
  linear_id_type get_local_linear_id() const { return __spirv_BuiltInSubgroupLocalInvocationId(); }
  linear_id_type get_local_linear_range() const { return __spirv_BuiltInSubgroupSize(); }
  linear_id_type get_group_linear_range() const { return __spirv_BuiltInNumSubgroups(); }
#else
  linear_id_type get_group_linear_id() const { return item_ / detail::host_sub_group_size; }
  linear_id_type get_local_linear_id() const { return item_ % detail::host_sub_group_size; }
  linear_id_type get_local_linear_range() const {
    const linear_id_type left = items_ - get_group_linear_id() * detail::host_sub_group_size;
    return left < detail::host_sub_group_size ? left : detail::host_sub_group_size;
  }
  linear_id_type get_group_linear_range() const {
    return (items_ + detail::host_sub_group_size - 1) / detail::host_sub_group_size;
  }
#endif

  friend bool operator==(const sub_group &a, const sub_group &b) {
    return a.get_group_linear_id() == b.get_group_linear_id();
  }
  friend bool operator!=(const sub_group &a, const sub_group &b) { return !(a == b); }

#ifdef SCYTHE_DEVICE_PASS
  explicit sub_group(const detail::work_item &) {}

private:
  static linear_id_type max_size() { return __spirv_BuiltInSubgroupMaxSize(); }
#else
  explicit sub_group(const detail::work_item &self)
      : item_(static_cast<linear_id_type>(self.local_linear_id())),
        items_(static_cast<linear_id_type>(self.local_linear_size())) {}

private:
  static linear_id_type max_size() { return detail::host_sub_group_size; }

  linear_id_type item_;
  linear_id_type items_;
#endif
};

} // namespace sycl

#endif
