// USM device memory of other processes (`sycl_ext_oneapi_inter_process_communication`). Allocations
// of all devices here are memory that the driver or the C library divides, and that no other
// process can map. `get` and `open` therefore throw `errc::feature_not_supported`;
// `aspect::ext_oneapi_ipc_memory` tells so in advance. `sycl_ext_oneapi_memory_export` has memory
// that other processes can map.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_IPC_MEMORY_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_IPC_MEMORY_HPP

#include <sycl/usm.hpp>

#include <cstddef>
#include <vector>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif

namespace sycl::ext::oneapi::experimental {

namespace ipc {

using handle_data_t = std::vector<std::byte>;
#if __cplusplus >= 202002L && __has_include(<span>)
using handle_data_view_t = std::span<const std::byte>;
#endif

// Only `get` could make one.
class handle {
public:
  handle_data_t data() const { return bytes_; }
#if __cplusplus >= 202002L && __has_include(<span>)
  handle_data_view_t data_view() const { return bytes_; }
#endif

private:
  handle_data_t bytes_;
};

namespace memory {

using ipc::handle;
using ipc::handle_data_t;

[[noreturn]] SCYTHE_COLD inline void scythe_refuse(const char *call, const device &d) {
  sycl::detail::fail(errc::feature_not_supported,
                     "ipc::memory::%s: device '%s' does not support "
                     "sycl_ext_oneapi_inter_process_communication; check "
                     "aspect::ext_oneapi_ipc_memory",
                     call, sycl::detail::device_label(d).c_str());
}
inline context scythe_default_context() {
  return device().get_platform().khr_get_default_context();
}

inline handle get(void *ptr, const context &c) {
  if (get_pointer_type(ptr, c) != usm::alloc::device)
    sycl::detail::fail(errc::invalid, "ipc::memory::get: the pointer does not point into device "
                                      "memory of the context");
  scythe_refuse("get", get_pointer_device(ptr, c));
}
inline handle get(void *ptr) { return get(ptr, scythe_default_context()); }
// There is nothing to release.
inline void put(handle &, const context &) {}
inline void put(handle &) {}
inline void *open(const handle_data_t &, const context &, const device &d) {
  scythe_refuse("open", d);
}
inline void *open(const handle_data_t &, const device &d) { scythe_refuse("open", d); }
inline void *open(const handle_data_t &) { scythe_refuse("open", device()); }
#if __cplusplus >= 202002L && __has_include(<span>)
using ipc::handle_data_view_t;
inline void *open(const handle_data_view_t &, const context &, const device &d) {
  scythe_refuse("open", d);
}
inline void *open(const handle_data_view_t &, const device &d) { scythe_refuse("open", d); }
inline void *open(const handle_data_view_t &) { scythe_refuse("open", device()); }
#endif
inline void close(void *, const context &c) {
  scythe_refuse("close", sycl::detail::first_device_of(c));
}
inline void close(void *) { scythe_refuse("close", device()); }

} // namespace memory
} // namespace ipc

// The earlier name.
namespace ipc_memory {
using namespace ipc::memory;
} // namespace ipc_memory

} // namespace sycl::ext::oneapi::experimental

#endif
