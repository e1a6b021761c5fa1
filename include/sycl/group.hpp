// `sycl::group`: the work-group of a work-item.
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

  id_type get_group_id() const {
    return detail::in_sycl_order<id_type, Dimensions>([this](int d) { return self_.group_id(d); });
  }
  std::size_t get_group_id(int dimension) const { return self_.group_id(Dimensions - 1 - dimension); }
  std::size_t operator[](int dimension) const { return get_group_id(dimension); }
  id_type get_id() const { return get_group_id(); }
  std::size_t get_id(int dimension) const { return get_group_id(dimension); }
  id_type get_local_id() const {
    return detail::in_sycl_order<id_type, Dimensions>([this](int d) { return self_.local_id(d); });
  }
  std::size_t get_local_id(int dimension) const { return self_.local_id(Dimensions - 1 - dimension); }
  range_type get_local_range() const {
    return detail::in_sycl_order<range_type, Dimensions>([this](int d) { return local_size(d); });
  }
  std::size_t get_local_range(int dimension) const { return local_size(Dimensions - 1 - dimension); }
  range_type get_max_local_range() const { return get_local_range(); }
  range_type get_uniform_group_range() const { return get_local_range(); }
  range_type get_group_range() const {
    return detail::in_sycl_order<range_type, Dimensions>([this](int d) { return self_.num_groups(d); });
  }
  std::size_t get_group_range(int dimension) const { return self_.num_groups(Dimensions - 1 - dimension); }
  range_type get_global_range() const {
    return detail::in_sycl_order<range_type, Dimensions>([this](int d) { return global_size(d); });
  }
  std::size_t get_global_range(int dimension) const { return global_size(Dimensions - 1 - dimension); }
  std::size_t get_group_linear_id() const { return detail::linear(get_group_id(), get_group_range()); }
  std::size_t get_linear_id() const { return get_group_linear_id(); }
  std::size_t get_group_linear_range() const { return get_group_range().size(); }
  std::size_t get_local_linear_id() const { return detail::linear(get_local_id(), get_local_range()); }
  std::size_t get_local_linear_range() const { return get_local_range().size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  // Of `parallel_for_work_group`: `sycl/h_item.hpp`.
  template <class F> void parallel_for_work_item(F f) const;
  template <class F> void parallel_for_work_item(range<Dimensions> flexible, F f) const;

  // `sycl/async_work_group_copy.hpp`.
  template <class To, class From> device_event async_work_group_copy(To to, From from, std::size_t count) const;
  template <class To, class From>
  device_event async_work_group_copy(To to, From from, std::size_t count, std::size_t stride) const;
  template <class... Events> void wait_for(Events... events) const;

  friend bool operator==(const group &a, const group &b) {
    return a.get_group_id() == b.get_group_id() && a.get_group_range() == b.get_group_range();
  }
  friend bool operator!=(const group &a, const group &b) { return !(a == b); }

  explicit group(const detail::work_item &self) : self_(self) {}
  // One work-item runs the whole group, which has `logical` work-items as the program sees it.
  group(const detail::work_item &self, const range<Dimensions> &logical) : self_(self), logical_(logical) {}

private:
  std::size_t local_size(int d) const {
    const std::size_t logical = logical_[Dimensions - 1 - d];
    return logical ? logical : self_.local_size(d);
  }
  std::size_t global_size(int d) const {
    const std::size_t logical = logical_[Dimensions - 1 - d];
    return logical ? logical * self_.num_groups(d) : self_.global_size(d);
  }

  detail::work_item self_;
  // Zero except in `parallel_for_work_group`.
  range<Dimensions> logical_;
};

template <class T> struct is_group : std::false_type {};
template <int D> struct is_group<group<D>> : std::true_type {};
template <> struct is_group<sub_group> : std::true_type {};
template <class T> inline constexpr bool is_group_v = is_group<T>::value;

} // namespace sycl

#endif
