// Device memory that other interfaces can import (`sycl_ext_oneapi_memory_export`). Handles are
// file descriptors, which the program owns.
#ifndef SCYTHE_EXT_ONEAPI_MEMORY_EXPORT_HPP
#define SCYTHE_EXT_ONEAPI_MEMORY_EXPORT_HPP

#include <sycl/detail/abi_memory.h>
#include <sycl/queue.hpp>

namespace sycl::ext::oneapi::experimental {

enum class export_external_mem_handle_type { opaque_fd = 0, win32_nt = 1 };

template <export_external_mem_handle_type Type> struct exported_mem;
template <> struct exported_mem<export_external_mem_handle_type::opaque_fd> {
  using type = int;
};
template <> struct exported_mem<export_external_mem_handle_type::win32_nt> {
  using type = void *;
};
template <export_external_mem_handle_type Type>
using exported_mem_t = typename exported_mem<Type>::type;

inline void *alloc_exportable_device_mem(std::size_t alignment, std::size_t size,
                                         export_external_mem_handle_type type, const device &d,
                                         const context &c, const sycl::property_list & = {}) {
  if (type != export_external_mem_handle_type::opaque_fd)
    sycl::detail::fail(errc::invalid,
                       "alloc_exportable_device_mem: this system has no handles of Windows; use "
                       "export_external_mem_handle_type::opaque_fd");
  void *out = nullptr;
  sycl::detail::check(scythe_exported_alloc(
      c.scythe_impl()->context.get(), sycl::detail::access_handle::of(d), alignment, size, &out));
  return out;
}
inline void *alloc_exportable_device_mem(std::size_t alignment, std::size_t size,
                                         export_external_mem_handle_type type, const queue &q,
                                         const sycl::property_list & = {}) {
  return alloc_exportable_device_mem(alignment, size, type, q.get_device(), q.get_context());
}

template <export_external_mem_handle_type Type>
exported_mem_t<Type> export_device_mem_handle(void *memory, const device &d, const context &c) {
  if constexpr (Type == export_external_mem_handle_type::opaque_fd) {
    int file = -1;
    sycl::detail::check(scythe_exported_handle(c.scythe_impl()->context.get(),
                                               sycl::detail::access_handle::of(d), memory, &file));
    return file;
  } else {
    sycl::detail::fail(errc::invalid, "export_device_mem_handle: this system has no handles of "
                                      "Windows, and the memory was not allocated for them");
  }
}
template <export_external_mem_handle_type Type>
exported_mem_t<Type> export_device_mem_handle(void *memory, const queue &q) {
  return export_device_mem_handle<Type>(memory, q.get_device(), q.get_context());
}

inline void free_exportable_mem(void *memory, const device &d, const context &c) {
  if (memory)
    sycl::detail::check(scythe_exported_free(c.scythe_impl()->context.get(),
                                             sycl::detail::access_handle::of(d), memory));
}
inline void free_exportable_mem(void *memory, const queue &q) {
  free_exportable_mem(memory, q.get_device(), q.get_context());
}

} // namespace sycl::ext::oneapi::experimental

#endif
