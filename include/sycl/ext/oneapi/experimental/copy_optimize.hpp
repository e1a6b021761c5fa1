// Hints that memory of the host will be copied often (`sycl_ext_oneapi_copy_optimize`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COPY_OPTIMIZE_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COPY_OPTIMIZE_HPP

#include <sycl/detail/abi_memory.h>
#include <sycl/queue.hpp>

namespace sycl::ext::oneapi::experimental {

inline void prepare_for_device_copy(const void *ptr, std::size_t bytes, const context &c) {
  if (bytes)
    sycl::detail::check(scythe_host_prepare(c.scythe_impl()->context.get(), ptr, bytes));
}
inline void prepare_for_device_copy(const void *ptr, std::size_t bytes, const queue &q) {
  prepare_for_device_copy(ptr, bytes, q.get_context());
}
inline void release_from_device_copy(const void *ptr, const context &c) {
  sycl::detail::check(scythe_host_prepare(c.scythe_impl()->context.get(), ptr, 0));
}
inline void release_from_device_copy(const void *ptr, const queue &q) {
  release_from_device_copy(ptr, q.get_context());
}

} // namespace sycl::ext::oneapi::experimental

#endif
