// A uniform interface of groups and their members (`sycl_khr_group_interface`): `work_group`,
// `sub_group`, and the calling work-item as a `member_item` of either.
#ifndef SCYTHE_KHR_GROUP_INTERFACE_HPP
#define SCYTHE_KHR_GROUP_INTERFACE_HPP

#include <sycl/group.hpp>
#include <sycl/sub_group.hpp>

namespace sycl::khr {

template <int Dimensions = 1> class work_group;
class sub_group;
template <class ParentGroup> class member_item;

} // namespace sycl::khr

namespace sycl::detail {

template <class Group> struct for_khr_group {};
template <int D> struct for_khr_group<khr::work_group<D>> : std::enable_if<true> {};
template <> struct for_khr_group<khr::sub_group> : std::enable_if<true> {};

} // namespace sycl::detail

namespace sycl::khr {

template <int Dimensions> class work_group {
public:
  using id_type = sycl::id<Dimensions>;
  using linear_id_type = std::size_t;
  using range_type = sycl::range<Dimensions>;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  work_group(const group<Dimensions> &g) noexcept : group_(g) {}
  operator group<Dimensions>() const noexcept { return group_; }

  id_type id() const noexcept { return group_.get_group_id(); }
  linear_id_type linear_id() const noexcept { return group_.get_group_linear_id(); }
  range_type range() const noexcept { return group_.get_group_range(); }
  size_type size() const noexcept { return group_.get_local_linear_range(); }

  friend bool operator==(const work_group &a, const work_group &b) { return a.group_ == b.group_; }
  friend bool operator!=(const work_group &a, const work_group &b) { return a.group_ != b.group_; }

private:
  group<Dimensions> group_;
};

class sub_group {
public:
  using id_type = sycl::id<1>;
  using linear_id_type = std::uint32_t;
  using range_type = sycl::range<1>;
  using size_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  sub_group(const sycl::sub_group &g) noexcept : group_(g) {}
  operator sycl::sub_group() const noexcept { return group_; }

  id_type id() const noexcept { return group_.get_group_id(); }
  linear_id_type linear_id() const noexcept { return group_.get_group_linear_id(); }
  range_type range() const noexcept { return group_.get_group_range(); }
  size_type size() const noexcept { return group_.get_local_linear_range(); }
  size_type max_size() const noexcept {
    return static_cast<size_type>(group_.get_max_local_range()[0]);
  }

  friend bool operator==(const sub_group &a, const sub_group &b) { return a.group_ == b.group_; }
  friend bool operator!=(const sub_group &a, const sub_group &b) { return a.group_ != b.group_; }

private:
  sycl::sub_group group_;
};

// The position of a work-item in its group.
template <class ParentGroup> class member_item {
public:
  using id_type = typename ParentGroup::id_type;
  using linear_id_type = typename ParentGroup::linear_id_type;
  using range_type = typename ParentGroup::range_type;
  using size_type = typename ParentGroup::size_type;
  static constexpr int dimensions = ParentGroup::dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_item;

  id_type id() const noexcept { return id_; }
  linear_id_type linear_id() const noexcept {
    return static_cast<linear_id_type>(sycl::detail::linear(id_, range_));
  }
  range_type range() const noexcept { return range_; }
  constexpr size_type size() const noexcept { return 1; }

  friend bool operator==(const member_item &a, const member_item &b) {
    return a.id_ == b.id_ && a.range_ == b.range_;
  }
  friend bool operator!=(const member_item &a, const member_item &b) { return !(a == b); }

private:
  template <class Group, class> friend member_item<Group> get_member_item(const Group &) noexcept;
  template <class Group>
  explicit member_item(const Group &g) : id_(g.get_local_id()), range_(g.get_local_range()) {}
  id_type id_;
  range_type range_;
};

// These functions depend on the calling work-item. Their specification makes them `noexcept`.
// Outside kernels there is no work-item and `group::get_local_id` throws, so a call terminates the
// program.
template <class Group, class = typename sycl::detail::for_khr_group<Group>::type>
member_item<Group> get_member_item(const Group &g) noexcept {
  if constexpr (std::is_same_v<Group, sub_group>)
    return member_item<Group>(static_cast<sycl::sub_group>(g));
  else
    return member_item<Group>(static_cast<group<Group::dimensions>>(g));
}

template <class Group, class = typename sycl::detail::for_khr_group<Group>::type>
bool leader_of(const Group &g) noexcept {
  return khr::get_member_item(g).linear_id() == 0;
}
// A member_item is a group of one work-item, which is its leader.
template <class ParentGroup> bool leader_of(const member_item<ParentGroup> &) noexcept {
  return true;
}

} // namespace sycl::khr

#endif
