// The launch property `cluster_size` and the query `max_cluster_group_size` of
// `sycl_ext_codeplay_cuda_cluster_group`.
#ifndef SCYTHE_EXT_CODEPLAY_EXPERIMENTAL_CLUSTER_GROUP_PROP_HPP
#define SCYTHE_EXT_CODEPLAY_EXPERIMENTAL_CLUSTER_GROUP_PROP_HPP

#include <sycl/detail/abi_order.hpp>
#include <sycl/info.hpp>
#include <sycl/range.hpp>

namespace sycl::ext::codeplay::experimental::cuda {

// The number of work-groups in a cluster, in each dimension. It must divide the number of
// work-groups of the launch.
template <int Dim> struct cluster_size {
  using key_t = cluster_size;
  cluster_size(const range<Dim> &size) : size_(size) {}
  range<Dim> get_cluster_size() const { return size_; }

  // See `detail::changes_launch`.
  void scythe_launch(scythe_kernel_launch &launch) const {
    std::uint64_t size[3];
    sycl::detail::to_abi_order(size, size_, 1);
    launch.cooperation = SCYTHE_COOPERATION_CLUSTERS;
    for (int d = 0; d < 3; ++d)
      launch.cluster[d] = size[d] > 0xffffffff ? 0xffffffff : static_cast<std::uint32_t>(size[d]);
  }

private:
  range<Dim> size_;
};
template <int Dim> cluster_size(range<Dim>) -> cluster_size<Dim>;
template <int Dim> using cluster_size_key = cluster_size<Dim>;

namespace info::device {
// The most work-groups of a cluster, or 0 if the device has no clusters.
struct max_cluster_group_size : sycl::detail::size_param<SCYTHE_DEVICE_MAX_CLUSTER_SIZE> {};
} // namespace info::device

} // namespace sycl::ext::codeplay::experimental::cuda

#endif
