// Memory and semaphores of other interfaces, such as Vulkan. No device can import them, so every
// function throws `errc::feature_not_supported`; `aspect::ext_oneapi_external_memory_import` and
// `aspect::ext_oneapi_external_semaphore_import` tell so in advance.
#ifndef SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_INTEROP_HPP
#define SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_INTEROP_HPP

#include <sycl/ext/oneapi/bindless_images_descriptor.hpp>
#include <sycl/ext/oneapi/bindless_images_mem_handle.hpp>
#include <sycl/queue.hpp>

namespace sycl::ext::oneapi::experimental {

enum class external_mem_handle_type {
  opaque_fd = 0,
  win32_nt_handle = 1,
  win32_nt_dx12_resource = 2,
  dma_buf = 3,
  win32_nt_dx11_resource = 4,
};
enum class external_semaphore_handle_type {
  opaque_fd = 0,
  win32_nt_handle = 1,
  win32_nt_dx12_fence = 2,
  timeline_fd = 3,
  timeline_win32_nt_handle = 4,
};

struct external_mem {
  using raw_handle_type = void *;
  raw_handle_type raw_handle = nullptr;
};
struct external_semaphore {
  using raw_handle_type = void *;
  raw_handle_type raw_handle = nullptr;
  external_semaphore_handle_type handle_type = external_semaphore_handle_type::opaque_fd;
};

struct resource_fd {
  int file_descriptor;
};
struct resource_win32_handle {
  void *handle;
};
struct resource_win32_name {
  const void *name;
};

template <class Resource> struct external_mem_descriptor {
  Resource external_resource;
  external_mem_handle_type handle_type;
  std::size_t size_in_bytes;
};
template <class Resource> struct external_semaphore_descriptor {
  Resource external_resource;
  external_semaphore_handle_type handle_type;
};

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail::bindless {

[[noreturn]] SCYTHE_COLD inline void no_import(const char *call, const device &d,
                                               const char *needed) {
  fail(errc::feature_not_supported,
       "%s: device '%s' cannot import objects of other interfaces "
       "(sycl_ext_oneapi_bindless_images); check aspect::%s",
       call, device_label(d).c_str(), needed);
}
[[noreturn]] inline void no_memory(const char *call, const device &d) {
  no_import(call, d, "ext_oneapi_external_memory_import");
}
[[noreturn]] inline void no_semaphore(const char *call, const device &d) {
  no_import(call, d, "ext_oneapi_external_semaphore_import");
}

} // namespace sycl::detail::bindless

namespace sycl::ext::oneapi::experimental {

template <class Resource>
external_mem import_external_memory(external_mem_descriptor<Resource>, const device &d,
                                    const context &) {
  sycl::detail::bindless::no_memory("import_external_memory", d);
}
template <class Resource>
external_mem import_external_memory(external_mem_descriptor<Resource>, const queue &q) {
  sycl::detail::bindless::no_memory("import_external_memory", q.get_device());
}
inline image_mem_handle map_external_image_memory(external_mem, const image_descriptor &,
                                                  const device &d, const context &) {
  sycl::detail::bindless::no_memory("map_external_image_memory", d);
}
inline image_mem_handle map_external_image_memory(external_mem, const image_descriptor &,
                                                  const queue &q) {
  sycl::detail::bindless::no_memory("map_external_image_memory", q.get_device());
}
inline void *map_external_linear_memory(external_mem, std::uint64_t, std::uint64_t, const device &d,
                                        const context &) {
  sycl::detail::bindless::no_memory("map_external_linear_memory", d);
}
inline void *map_external_linear_memory(external_mem, std::uint64_t, std::uint64_t,
                                        const queue &q) {
  sycl::detail::bindless::no_memory("map_external_linear_memory", q.get_device());
}
inline void unmap_external_linear_memory(void *, const device &d, const context &) {
  sycl::detail::bindless::no_memory("unmap_external_linear_memory", d);
}
inline void unmap_external_linear_memory(void *, const queue &q) {
  sycl::detail::bindless::no_memory("unmap_external_linear_memory", q.get_device());
}
inline void unmap_external_image_memory(image_mem_handle, image_type, const device &d,
                                        const context &) {
  sycl::detail::bindless::no_memory("unmap_external_image_memory", d);
}
inline void unmap_external_image_memory(image_mem_handle, image_type, const queue &q) {
  sycl::detail::bindless::no_memory("unmap_external_image_memory", q.get_device());
}
inline void release_external_memory(external_mem, const device &d, const context &) {
  sycl::detail::bindless::no_memory("release_external_memory", d);
}
inline void release_external_memory(external_mem, const queue &q) {
  sycl::detail::bindless::no_memory("release_external_memory", q.get_device());
}

template <class Resource>
external_semaphore import_external_semaphore(external_semaphore_descriptor<Resource>,
                                             const device &d, const context &) {
  sycl::detail::bindless::no_semaphore("import_external_semaphore", d);
}
template <class Resource>
external_semaphore import_external_semaphore(external_semaphore_descriptor<Resource>,
                                             const queue &q) {
  sycl::detail::bindless::no_semaphore("import_external_semaphore", q.get_device());
}
inline void release_external_semaphore(external_semaphore, const device &d, const context &) {
  sycl::detail::bindless::no_semaphore("release_external_semaphore", d);
}
inline void release_external_semaphore(external_semaphore, const queue &q) {
  sycl::detail::bindless::no_semaphore("release_external_semaphore", q.get_device());
}

} // namespace sycl::ext::oneapi::experimental

#endif
