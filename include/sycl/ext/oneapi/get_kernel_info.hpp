// Information about a kernel by its name (`sycl_ext_oneapi_get_kernel_info`).
#ifndef SCYTHE_EXT_ONEAPI_GET_KERNEL_INFO_HPP
#define SCYTHE_EXT_ONEAPI_GET_KERNEL_INFO_HPP

#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

namespace sycl::ext::oneapi {

template <class KernelName, class Param>
typename Param::return_type get_kernel_info(const context &c) {
  return get_kernel_bundle<KernelName, bundle_state::executable>(c)
      .template get_kernel<KernelName>()
      .template get_info<Param>();
}
template <class KernelName, class Param>
typename Param::return_type get_kernel_info(const context &c, const device &d) {
  return get_kernel_bundle<KernelName, bundle_state::executable>(c, {d})
      .template get_kernel<KernelName>()
      .template get_info<Param>(d);
}
template <class KernelName, class Param>
typename Param::return_type get_kernel_info(const queue &q) {
  return get_kernel_info<KernelName, Param>(q.get_context(), q.get_device());
}

// Queries about launches with work-groups of a size. The properties of the launch are those that
// the kernel will have.
template <class KernelName, class Param, int D, class Properties,
          class = sycl::detail::if_properties<Properties>>
typename Param::return_type get_kernel_info(const queue &q, const range<D> &local, Properties,
                                            std::size_t bytes = 0) {
  return get_kernel_bundle<KernelName, bundle_state::executable>(q.get_context(), {q.get_device()})
      .template get_kernel<KernelName>()
      .template ext_oneapi_get_info<Param>(q, local, bytes);
}
template <class KernelName, class Param, int D, class Properties,
          class = sycl::detail::if_properties<Properties>>
typename Param::return_type get_kernel_info(const context &c, const device &d,
                                            const range<D> &local, Properties p,
                                            std::size_t bytes = 0) {
  return get_kernel_info<KernelName, Param>(queue(c, d), local, p, bytes);
}

// Free function kernels.
namespace experimental {
template <auto *Func, class Param, sycl::detail::if_free_function<Func> = 0>
typename Param::return_type get_kernel_info(const context &c) {
  return experimental::get_kernel_bundle<Func, bundle_state::executable>(c)
      .template ext_oneapi_get_kernel<Func>()
      .template get_info<Param>();
}
template <auto *Func, class Param, sycl::detail::if_free_function<Func> = 0>
typename Param::return_type get_kernel_info(const context &c, const device &d) {
  return experimental::get_kernel_bundle<Func, bundle_state::executable>(c, {d})
      .template ext_oneapi_get_kernel<Func>()
      .template get_info<Param>(d);
}
template <auto *Func, class Param, sycl::detail::if_free_function<Func> = 0>
typename Param::return_type get_kernel_info(const queue &q) {
  return experimental::get_kernel_info<Func, Param>(q.get_context(), q.get_device());
}
} // namespace experimental

} // namespace sycl::ext::oneapi

namespace sycl::ext::oneapi::experimental {
using oneapi::get_kernel_info;
}

#endif
