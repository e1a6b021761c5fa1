// `sycl::group`: the work-group of a work-item.
//
// The object stores the values that all work-items of the group share. Other queries refer to the
// calling work-item.
#ifndef SCYTHE_GROUP_HPP
#define SCYTHE_GROUP_HPP

#include <sycl/detail/work_item.hpp>
#include <sycl/exception.hpp>
#include <sycl/memory_enums.hpp>

namespace sycl {

template <int Dimensions> class h_item;
class device_event;
class sub_group;

template <int Dimensions = 1> class group {
public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  id_type get_group_id() const { return id_; }
  std::size_t get_group_id(int dimension) const { return id_[dimension]; }
  std::size_t operator[](int dimension) const { return get_group_id(dimension); }
  id_type get_id() const { return get_group_id(); }
  std::size_t get_id(int dimension) const { return get_group_id(dimension); }
  id_type get_local_id() const {
    const detail::work_item &self = detail::this_work_item();
    return detail::in_sycl_order<id_type, Dimensions>([&](int d) { return self.local_id(d); });
  }
  std::size_t get_local_id(int dimension) const {
    return detail::this_work_item().local_id(Dimensions - 1 - dimension);
  }
  range_type get_local_range() const { return local_; }
  std::size_t get_local_range(int dimension) const { return local_[dimension]; }
  range_type get_max_local_range() const { return get_local_range(); }
  range_type get_uniform_group_range() const { return get_local_range(); }
  range_type get_group_range() const { return groups_; }
  std::size_t get_group_range(int dimension) const { return groups_[dimension]; }
  range_type get_global_range() const { return groups_ * local_; }
  std::size_t get_global_range(int dimension) const {
    return groups_[dimension] * local_[dimension];
  }
  std::size_t get_group_linear_id() const {
    return detail::linear(get_group_id(), get_group_range());
  }
  std::size_t get_linear_id() const { return get_group_linear_id(); }
  std::size_t get_group_linear_range() const { return get_group_range().size(); }
  std::size_t get_local_linear_id() const {
    return detail::linear(get_local_id(), get_local_range());
  }
  std::size_t get_local_linear_range() const { return get_local_range().size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  // For `parallel_for_work_group`. Defined in `sycl/h_item.hpp`.
  template <class F> void parallel_for_work_item(F f) const;
  template <class F> void parallel_for_work_item(range<Dimensions> flexible, F f) const;

  // Defined in `sycl/async_work_group_copy.hpp`.
  template <class To, class From>
  device_event async_work_group_copy(To to, From from, std::size_t count) const;
  template <class To, class From>
  device_event async_work_group_copy(To to, From from, std::size_t count, std::size_t stride) const;
  template <class... Events> void wait_for(Events... events) const;

  friend bool operator==(const group &a, const group &b) {
    return a.id_ == b.id_ && a.groups_ == b.groups_ && a.local_ == b.local_;
  }
  friend bool operator!=(const group &a, const group &b) { return !(a == b); }

  explicit group(const detail::work_item &self)
      : group(self, detail::local_range_of<Dimensions>(self)) {}
  // In `parallel_for_work_group`, one work-item runs the whole group. The program sees a group of
  // `logical` work-items.
  group(const detail::work_item &self, const range_type &logical)
      : id_(detail::in_sycl_order<id_type, Dimensions>([&](int d) { return self.group_id(d); })),
        groups_(detail::in_sycl_order<range_type, Dimensions>(
            [&](int d) { return self.num_groups(d); })),
        local_(logical) {}

private:
  id_type id_;
  range_type groups_;
  range_type local_;
};

template <class T> struct is_group : std::false_type {};
template <int D> struct is_group<group<D>> : std::true_type {};
template <> struct is_group<sub_group> : std::true_type {};
template <class T> inline constexpr bool is_group_v = is_group<T>::value;

} // namespace sycl

#endif
