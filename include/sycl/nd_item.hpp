// `sycl::nd_item`: one work-item of a `parallel_for` over an `nd_range`.
#ifndef SCYTHE_ND_ITEM_HPP
#define SCYTHE_ND_ITEM_HPP

#include <sycl/group.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {

namespace ext::oneapi::experimental {
template <int Dimensions> class root_group;
}

template <int Dimensions = 1> class nd_item {
public:
  static constexpr int dimensions = Dimensions;

  nd_item() = delete;

  id<Dimensions> get_global_id() const {
    return detail::in_sycl_order<id<Dimensions>, Dimensions>([this](int d) { return self_.global_id(d); });
  }
  std::size_t get_global_id(int dimension) const { return self_.global_id(Dimensions - 1 - dimension); }
  std::size_t get_global_linear_id() const {
    return detail::linear(get_global_id() - get_offset(), get_global_range());
  }
  id<Dimensions> get_local_id() const { return get_group().get_local_id(); }
  std::size_t get_local_id(int dimension) const { return self_.local_id(Dimensions - 1 - dimension); }
  std::size_t get_local_linear_id() const { return get_group().get_local_linear_id(); }
  group<Dimensions> get_group() const { return group<Dimensions>(self_); }
  sub_group get_sub_group() const { return sub_group(self_); }
  std::size_t get_group(int dimension) const { return self_.group_id(Dimensions - 1 - dimension); }
  std::size_t get_group_linear_id() const { return get_group().get_group_linear_id(); }
  range<Dimensions> get_group_range() const { return get_group().get_group_range(); }
  std::size_t get_group_range(int dimension) const { return self_.num_groups(Dimensions - 1 - dimension); }
  range<Dimensions> get_global_range() const { return get_group().get_global_range(); }
  std::size_t get_global_range(int dimension) const { return self_.global_size(Dimensions - 1 - dimension); }
  range<Dimensions> get_local_range() const { return get_group().get_local_range(); }
  std::size_t get_local_range(int dimension) const { return self_.local_size(Dimensions - 1 - dimension); }
  id<Dimensions> get_offset() const {
    return detail::in_sycl_order<id<Dimensions>, Dimensions>([this](int d) { return self_.global_offset(d); });
  }
  nd_range<Dimensions> get_nd_range() const { return {get_global_range(), get_local_range(), get_offset()}; }

  void barrier(access::fence_space = access::fence_space::global_and_local) const { group_barrier(get_group()); }
  void mem_fence(access::fence_space = access::fence_space::global_and_local) const {
    atomic_fence(memory_order::acq_rel, memory_scope::work_group);
  }

  template <class To, class From> device_event async_work_group_copy(To to, From from, std::size_t count) const;
  template <class To, class From>
  device_event async_work_group_copy(To to, From from, std::size_t count, std::size_t stride) const;
  template <class... Events> void wait_for(Events... events) const { get_group().wait_for(events...); }

  // `sycl/ext/oneapi/experimental/root_group.hpp`.
  template <int D = Dimensions> ext::oneapi::experimental::root_group<D> ext_oneapi_get_root_group() const {
    return ext::oneapi::experimental::root_group<D>(*this);
  }

  friend bool operator==(const nd_item &a, const nd_item &b) {
    return a.get_global_id() == b.get_global_id() && a.get_nd_range() == b.get_nd_range();
  }
  friend bool operator!=(const nd_item &a, const nd_item &b) { return !(a == b); }

  explicit nd_item(const detail::work_item &self) : self_(self) {}
  const detail::work_item &scythe_self() const { return self_; }

private:
  detail::work_item self_;
};

} // namespace sycl

#endif
