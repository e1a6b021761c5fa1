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
namespace ext::codeplay::experimental::cuda {
template <int Dimensions> class cluster_group;
}

template <int Dimensions = 1> class nd_item {
public:
  static constexpr int dimensions = Dimensions;

  nd_item() = delete;

  id<Dimensions> get_global_id() const { return global_id_; }
  std::size_t get_global_id(int dimension) const { return global_id_[dimension]; }
  std::size_t get_global_linear_id() const {
    return detail::linear(global_id_ - offset_, get_global_range());
  }
  id<Dimensions> get_local_id() const { return local_id_; }
  std::size_t get_local_id(int dimension) const { return local_id_[dimension]; }
  std::size_t get_local_linear_id() const { return detail::linear(local_id_, get_local_range()); }
  group<Dimensions> get_group() const { return group_; }
  // Returns the sub-group of the calling work-item.
  sub_group get_sub_group() const { return sub_group(detail::this_work_item()); }
  std::size_t get_group(int dimension) const { return group_.get_group_id(dimension); }
  std::size_t get_group_linear_id() const { return group_.get_group_linear_id(); }
  range<Dimensions> get_group_range() const { return group_.get_group_range(); }
  std::size_t get_group_range(int dimension) const { return group_.get_group_range(dimension); }
  range<Dimensions> get_global_range() const { return group_.get_global_range(); }
  std::size_t get_global_range(int dimension) const { return group_.get_global_range(dimension); }
  range<Dimensions> get_local_range() const { return group_.get_local_range(); }
  std::size_t get_local_range(int dimension) const { return group_.get_local_range(dimension); }
  id<Dimensions> get_offset() const { return offset_; }
  nd_range<Dimensions> get_nd_range() const {
    return {get_global_range(), get_local_range(), get_offset()};
  }

  void barrier(access::fence_space = access::fence_space::global_and_local) const {
    group_barrier(get_group());
  }
  void mem_fence(access::fence_space = access::fence_space::global_and_local) const {
    atomic_fence(memory_order::acq_rel, memory_scope::work_group);
  }

  template <class To, class From>
  device_event async_work_group_copy(To to, From from, std::size_t count) const;
  template <class To, class From>
  device_event async_work_group_copy(To to, From from, std::size_t count, std::size_t stride) const;
  template <class... Events> void wait_for(Events... events) const {
    get_group().wait_for(events...);
  }

  // Defined in `sycl/ext/oneapi/experimental/root_group.hpp`.
  template <int D = Dimensions>
  ext::oneapi::experimental::root_group<D> ext_oneapi_get_root_group() const {
    return ext::oneapi::experimental::root_group<D>(*this);
  }

  // Defined in `sycl/ext/codeplay/experimental/cluster_group.hpp`.
  template <int D = Dimensions>
  ext::codeplay::experimental::cuda::cluster_group<D> ext_codeplay_cuda_get_cluster_group() const {
    return ext::codeplay::experimental::cuda::cluster_group<D>(get_group());
  }

  friend bool operator==(const nd_item &a, const nd_item &b) {
    return a.global_id_ == b.global_id_ && a.local_id_ == b.local_id_ && a.offset_ == b.offset_ &&
           a.group_ == b.group_;
  }
  friend bool operator!=(const nd_item &a, const nd_item &b) { return !(a == b); }

  explicit nd_item(const detail::work_item &self)
      : global_id_(detail::in_sycl_order<id<Dimensions>, Dimensions>(
            [&](int d) { return self.global_id(d); })),
        local_id_(detail::in_sycl_order<id<Dimensions>, Dimensions>(
            [&](int d) { return self.local_id(d); })),
        offset_(detail::in_sycl_order<id<Dimensions>, Dimensions>(
            [&](int d) { return self.global_offset(d); })),
        group_(self) {}

private:
  id<Dimensions> global_id_;
  id<Dimensions> local_id_;
  id<Dimensions> offset_;
  group<Dimensions> group_;
};

} // namespace sycl

#endif
