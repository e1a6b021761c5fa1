// Reserved ranges of addresses (`sycl_ext_oneapi_virtual_mem`). The runtime checks all ranges.
#ifndef SCYTHE_EXT_ONEAPI_VIRTUAL_MEM_HPP
#define SCYTHE_EXT_ONEAPI_VIRTUAL_MEM_HPP

#include <sycl/detail/abi_memory.h>
#include <sycl/queue.hpp>

namespace sycl::ext::oneapi::experimental {

// The values match those of the C interface.
enum class address_access_mode : char { none = 0, read = 1, read_write = 2 };

enum class granularity_mode : char { minimum = 0, recommended = 1 };

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

inline scythe_context virtual_space(const context &c) { return c.scythe_impl()->context.get(); }
// `d` is null for the granularity of all devices of the context.
SCYTHE_COLD inline std::size_t mem_granularity(const context &c, scythe_device d,
                                               ext::oneapi::experimental::granularity_mode mode) {
  std::size_t bytes = 0;
  check(scythe_virtual_granularity(virtual_space(c), d,
                                   mode == ext::oneapi::experimental::granularity_mode::recommended,
                                   &bytes));
  return bytes;
}

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

inline std::size_t get_mem_granularity(const device &d, const context &c,
                                       granularity_mode mode = granularity_mode::recommended) {
  return sycl::detail::mem_granularity(c, sycl::detail::access_handle::of(d), mode);
}
inline std::size_t get_mem_granularity(const context &c,
                                       granularity_mode mode = granularity_mode::recommended) {
  return sycl::detail::mem_granularity(c, nullptr, mode);
}
inline std::size_t get_mem_granularity(const queue &q,
                                       granularity_mode mode = granularity_mode::recommended) {
  return get_mem_granularity(q.get_device(), q.get_context(), mode);
}

inline std::uintptr_t reserve_virtual_mem(std::uintptr_t start, std::size_t bytes,
                                          const context &c) {
  void *out = nullptr;
  sycl::detail::check(scythe_virtual_reserve(sycl::detail::virtual_space(c),
                                             reinterpret_cast<const void *>(start), bytes, &out));
  return reinterpret_cast<std::uintptr_t>(out);
}
inline std::uintptr_t reserve_virtual_mem(std::size_t bytes, const context &c) {
  return reserve_virtual_mem(0, bytes, c);
}
inline void free_virtual_mem(std::uintptr_t start, std::size_t bytes, const context &c) {
  sycl::detail::check(scythe_virtual_free(sycl::detail::virtual_space(c),
                                          reinterpret_cast<const void *>(start), bytes));
}

inline void set_access_mode(const void *ptr, std::size_t bytes, address_access_mode mode,
                            const context &c) {
  sycl::detail::check(scythe_virtual_set_access(sycl::detail::virtual_space(c), ptr, bytes,
                                                static_cast<std::uint32_t>(mode)));
}
inline address_access_mode get_access_mode(const void *ptr, std::size_t bytes, const context &c) {
  std::uint32_t mode = 0;
  sycl::detail::check(scythe_virtual_access(sycl::detail::virtual_space(c), ptr, bytes, &mode));
  return static_cast<address_access_mode>(mode);
}
inline void unmap(const void *ptr, std::size_t bytes, const context &c) {
  sycl::detail::check(scythe_virtual_unmap(sycl::detail::virtual_space(c), ptr, bytes));
}

} // namespace sycl::ext::oneapi::experimental

#endif
