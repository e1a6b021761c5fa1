// `physical_mem`: memory of a device that reserved addresses are mapped to
// (`sycl_ext_oneapi_virtual_mem`). Mappings keep the memory until they are removed.
#ifndef SCYTHE_EXT_ONEAPI_PHYSICAL_MEM_HPP
#define SCYTHE_EXT_ONEAPI_PHYSICAL_MEM_HPP

#include <sycl/ext/oneapi/virtual_mem/virtual_mem.hpp>

namespace sycl {

namespace detail {

struct physical_mem_impl : counted {
  SCYTHE_COLD physical_mem_impl(const device &d, const context &c, std::size_t bytes)
      : target(d), owner(c), size(bytes) {
    check(scythe_physical_create(virtual_space(c), access_handle::of(d), bytes, &memory));
  }
  ~physical_mem_impl() { scythe_physical_release(memory); }

  device target;
  context owner;
  std::size_t size;
  scythe_physical memory = nullptr;
};
inline void retain(physical_mem_impl *memory) noexcept { memory->add_reference(); }
inline void release(physical_mem_impl *memory) noexcept {
  if (memory->drop_reference())
    delete memory;
}

} // namespace detail

namespace ext::oneapi::experimental {

class physical_mem {
public:
  physical_mem(const device &d, const context &c, std::size_t bytes)
      : impl_(shared::adopt(new sycl::detail::physical_mem_impl(d, c, bytes))) {}
  physical_mem(const queue &q, std::size_t bytes)
      : physical_mem(q.get_device(), q.get_context(), bytes) {}

  void *map(std::uintptr_t start, std::size_t bytes, std::size_t offset = 0) const {
    return map(start, bytes, address_access_mode::none, offset);
  }
  void *map(std::uintptr_t start, std::size_t bytes, address_access_mode mode,
            std::size_t offset = 0) const {
    void *at = reinterpret_cast<void *>(start);
    sycl::detail::check(
        scythe_physical_map(impl_->memory, at, bytes, offset, static_cast<std::uint32_t>(mode)));
    return at;
  }

  context get_context() const { return impl_->owner; }
  device get_device() const { return impl_->target; }
  std::size_t size() const noexcept { return impl_->size; }

  friend bool operator==(const physical_mem &a, const physical_mem &b) {
    return a.impl_ == b.impl_;
  }
  friend bool operator!=(const physical_mem &a, const physical_mem &b) { return !(a == b); }
  const auto &scythe_impl() const noexcept { return impl_; }

private:
  using shared = sycl::detail::ref<sycl::detail::physical_mem_impl>;
  shared impl_;
};

inline std::size_t get_mem_granularity(const physical_mem &memory,
                                       granularity_mode mode = granularity_mode::recommended) {
  return get_mem_granularity(memory.get_device(), memory.get_context(), mode);
}

} // namespace ext::oneapi::experimental

} // namespace sycl

template <> struct std::hash<sycl::ext::oneapi::experimental::physical_mem> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::physical_mem &m) const noexcept {
    return std::hash<const void *>()(m.scythe_impl().get());
  }
};

#endif
