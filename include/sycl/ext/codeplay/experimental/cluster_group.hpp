// `cluster_group`: work-groups of NVIDIA GPUs that run at the same time and share their local
// memory (`sycl_ext_codeplay_cuda_cluster_group`), from compute capability 9.0 on.
//
// The launch property `cluster_size` forms the clusters. Kernels that use them need the aspect
// `ext_codeplay_cuda_cluster_group`.
#ifndef SCYTHE_EXT_CODEPLAY_EXPERIMENTAL_CLUSTER_GROUP_HPP
#define SCYTHE_EXT_CODEPLAY_EXPERIMENTAL_CLUSTER_GROUP_HPP

#include <sycl/ext/codeplay/experimental/cluster_group_prop.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/nd_item.hpp>

#ifdef SCYTHE_DEVICE_PASS
SCYTHE_DEVICE_LIBRARY extern "C" unsigned __scythe_cluster_group_id(int dimension) noexcept;
SCYTHE_DEVICE_LIBRARY extern "C" unsigned __scythe_cluster_group_range(int dimension) noexcept;
SCYTHE_DEVICE_LIBRARY extern "C" void __scythe_cluster_barrier() noexcept;
SCYTHE_DEVICE_LIBRARY extern "C" void *__scythe_cluster_map(void *p, unsigned group) noexcept;
SCYTHE_DEVICE_LIBRARY extern "C" unsigned __scythe_cluster_rank_of(const void *p) noexcept;
#endif

namespace sycl {

namespace ext::codeplay::experimental::cuda {

inline constexpr memory_scope memory_scope_cluster_group =
    memory_scope::ext_codeplay_cuda_cluster_group;

// Other devices and host mode cannot launch kernels with clusters. Outside of device code, a
// cluster has one work-group.
template <int Dim>
class SCYTHE_USES_ASPECTS(aspect::ext_codeplay_cuda_cluster_group) cluster_group {
public:
  using id_type = id<Dim>;
  using range_type = range<Dim>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dim;
  static constexpr memory_scope fence_scope = memory_scope::ext_codeplay_cuda_cluster_group;

  id_type get_group_id() const {
#ifdef SCYTHE_DEVICE_PASS
    return sycl::detail::in_sycl_order<id_type, Dim>(
        [](int d) -> std::size_t { return __scythe_cluster_group_id(d); });
#else
    return id_type();
#endif
  }
  range_type get_group_range() const {
#ifdef SCYTHE_DEVICE_PASS
    return sycl::detail::in_sycl_order<range_type, Dim>(
        [](int d) -> std::size_t { return __scythe_cluster_group_range(d); });
#else
    return sycl::detail::in_sycl_order<range_type, Dim>([](int) -> std::size_t { return 1; });
#endif
  }
  id_type get_local_id() const {
    return get_group_id() * group_.get_local_range() + group_.get_local_id();
  }
  range_type get_local_range() const { return get_group_range() * group_.get_local_range(); }
  linear_id_type get_group_linear_id() const {
    return sycl::detail::linear(get_group_id(), get_group_range());
  }
  linear_id_type get_group_linear_range() const { return get_group_range().size(); }
  linear_id_type get_local_linear_id() const {
    return sycl::detail::linear(get_local_id(), get_local_range());
  }
  linear_id_type get_local_linear_range() const { return get_local_range().size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  // Returns the address of the variable of work-group `group` that this work-group has at `p`. All
  // work-groups must exist during the access: use barriers of the cluster before and after it.
  template <class T> T *map_cluster_local_pointer(T *p, std::size_t group) const {
#ifdef SCYTHE_DEVICE_PASS
    using plain = std::remove_cv_t<T>;
    return static_cast<T *>(
        __scythe_cluster_map(const_cast<plain *>(p), static_cast<unsigned>(group)));
#else
    (void)group;
    return p;
#endif
  }
  // Returns the work-group to which an address of `map_cluster_local_pointer` belongs.
  template <class T> std::size_t get_linear_cluster_group_id_for_local_pointer(T *p) const {
#ifdef SCYTHE_DEVICE_PASS
    return __scythe_cluster_rank_of(const_cast<const std::remove_cv_t<T> *>(p));
#else
    (void)p;
    return 0;
#endif
  }

  explicit cluster_group(const group<Dim> &g) : group_(g) {}

private:
  group<Dim> group_;
};

} // namespace ext::codeplay::experimental::cuda

template <int Dim>
void group_barrier(ext::codeplay::experimental::cuda::cluster_group<Dim> g,
                   memory_scope fence_scope = memory_scope::ext_codeplay_cuda_cluster_group) {
  (void)g;
  const bool wide = fence_scope == memory_scope::device || fence_scope == memory_scope::system;
  if (wide)
    atomic_fence(memory_order::acq_rel, fence_scope);
#ifdef SCYTHE_DEVICE_PASS
  __scythe_cluster_barrier();
#endif
  if (wide)
    atomic_fence(memory_order::acq_rel, fence_scope);
}

} // namespace sycl

#endif
