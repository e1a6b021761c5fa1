// USM allocations in the default context of a device's platform (`sycl_ext_oneapi_usm_shortcuts`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_USM_SHORTCUTS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_USM_SHORTCUTS_HPP

#include <sycl/usm.hpp>

namespace sycl::ext::oneapi::experimental {

#define SCYTHE_SHORTCUTS(kind)                                                                     \
  inline void *malloc_##kind(std::size_t bytes, const device &d,                                   \
                             const sycl::property_list & = {}) {                                   \
    return sycl::malloc_##kind(bytes, d, d.ext_oneapi_get_default_context());                      \
  }                                                                                                \
  template <class T>                                                                               \
  T *malloc_##kind(std::size_t count, const device &d, const sycl::property_list & = {}) {         \
    return sycl::malloc_##kind<T>(count, d, d.ext_oneapi_get_default_context());                   \
  }                                                                                                \
  inline void *aligned_alloc_##kind(std::size_t alignment, std::size_t bytes, const device &d,     \
                                    const sycl::property_list & = {}) {                            \
    return sycl::aligned_alloc_##kind(alignment, bytes, d, d.ext_oneapi_get_default_context());    \
  }                                                                                                \
  template <class T>                                                                               \
  T *aligned_alloc_##kind(std::size_t alignment, std::size_t count, const device &d,               \
                          const sycl::property_list & = {}) {                                      \
    return sycl::aligned_alloc_##kind<T>(alignment, count, d, d.ext_oneapi_get_default_context()); \
  }
SCYTHE_SHORTCUTS(device)
SCYTHE_SHORTCUTS(shared)
#undef SCYTHE_SHORTCUTS

inline void *malloc(std::size_t bytes, const device &d, usm::alloc kind,
                    const sycl::property_list & = {}) {
  return sycl::malloc(bytes, d, d.ext_oneapi_get_default_context(), kind);
}
template <class T>
T *malloc(std::size_t count, const device &d, usm::alloc kind, const sycl::property_list & = {}) {
  return sycl::malloc<T>(count, d, d.ext_oneapi_get_default_context(), kind);
}
inline void *aligned_alloc(std::size_t alignment, std::size_t bytes, const device &d,
                           usm::alloc kind, const sycl::property_list & = {}) {
  return sycl::aligned_alloc(alignment, bytes, d, d.ext_oneapi_get_default_context(), kind);
}
template <class T>
T *aligned_alloc(std::size_t alignment, std::size_t count, const device &d, usm::alloc kind,
                 const sycl::property_list & = {}) {
  return sycl::aligned_alloc<T>(alignment, count, d, d.ext_oneapi_get_default_context(), kind);
}

} // namespace sycl::ext::oneapi::experimental

#endif
