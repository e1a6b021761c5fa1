// Allocation and release of USM memory as commands (`sycl_ext_oneapi_async_memory_alloc`), from
// pools.
#ifndef SCYTHE_EXT_ONEAPI_ASYNC_ALLOC_HPP
#define SCYTHE_EXT_ONEAPI_ASYNC_ALLOC_HPP

#include <sycl/ext/oneapi/experimental/async_alloc/memory_pool.hpp>

namespace sycl::detail::pools {

using ext::oneapi::experimental::memory_pool;

// Maps allocations to pools, and contexts to their pools. It lives until the process ends, because
// static objects may use it until then.
struct pool_registry {
  std::mutex mutex;
  std::map<void *, std::shared_ptr<pool_state>> owners;
  std::map<std::pair<const void *, std::pair<scythe_device, usm::alloc>>, memory_pool> defaults;

  static pool_registry &get() {
    static auto *registry = new pool_registry;
    return *registry;
  }
  std::shared_ptr<pool_state> take_owner(void *ptr) {
    std::lock_guard<std::mutex> guard(mutex);
    const auto found = owners.find(ptr);
    if (found == owners.end())
      sycl::detail::fail(
          errc::invalid,
          "async_free: %p was not allocated from a memory pool, or was already freed", ptr);
    std::shared_ptr<pool_state> owner = std::move(found->second);
    owners.erase(found);
    return owner;
  }
};

inline memory_pool default_pool(const context &c, const device &d, usm::alloc kind) {
  pool_registry &registry = pool_registry::get();
  const std::pair<const void *, std::pair<scythe_device, usm::alloc>> key{
      c.scythe_impl().get(), {sycl::detail::access_handle::of(d), kind}};
  std::lock_guard<std::mutex> guard(registry.mutex);
  const auto found = registry.defaults.find(key);
  if (found != registry.defaults.end())
    return found->second;
  const memory_pool made =
      kind == usm::alloc::host ? memory_pool(c, kind) : memory_pool(c, d, kind);
  registry.defaults.emplace(key, made);
  return made;
}

// Returns the queue if it is in order, or null.
inline const sycl::detail::queue_impl *order_of(const queue &q) {
  return q.is_in_order() ? q.scythe_impl().get() : nullptr;
}

inline void *allocate(const context &c, const device &d, const sycl::detail::queue_impl *order,
                      std::size_t size, const memory_pool &pool, bool &zero) {
  pool_state &state = *pool.scythe_state();
  if (state.get_context() != c || (state.kind() != usm::alloc::host && state.get_device() != d))
    sycl::detail::fail(
        errc::invalid,
        "async_malloc_from_pool: the pool and the queue must have the same context and device");
  bool fresh = false;
  void *ptr = state.allocate(size, order, fresh);
  if (!ptr)
    sycl::detail::fail(errc::memory_allocation,
                       "async_malloc: the memory pool cannot allocate %zu more bytes", size);
  zero = fresh && state.is_zeroed();
  pool_registry &registry = pool_registry::get();
  std::lock_guard<std::mutex> guard(registry.mutex);
  registry.owners[ptr] = pool.scythe_state();
  return ptr;
}

inline memory_pool pool_of(const context &c, const device &d, usm::alloc kind) {
  if (kind == usm::alloc::unknown)
    sycl::detail::fail(errc::invalid,
                       "async_malloc: the allocation kind must be host, device or shared");
  return default_pool(c, kind == usm::alloc::host ? c.get_devices()[0] : d, kind);
}

} // namespace sycl::detail::pools

namespace sycl::ext::oneapi::experimental {

inline void *async_malloc_from_pool(const queue &q, std::size_t size, const memory_pool &pool) {
  bool zero = false;
  void *ptr = sycl::detail::pools::allocate(q.get_context(), q.get_device(),
                                            sycl::detail::pools::order_of(q), size, pool, zero);
  if (zero)
    queue(q).memset(ptr, 0, size).wait();
  return ptr;
}
// If the memory must be zeroed, that is the only command of the group.
inline void *async_malloc_from_pool(handler &h, std::size_t size, const memory_pool &pool) {
  bool zero = false;
  const auto &impl = h.scythe_queue();
  void *ptr = sycl::detail::pools::allocate(context(impl.context), impl.target,
                                            impl.in_order ? &impl : nullptr, size, pool, zero);
  if (zero)
    h.memset(ptr, 0, size);
  return ptr;
}
inline void *async_malloc(const queue &q, usm::alloc kind, std::size_t size) {
  return async_malloc_from_pool(
      q, size, sycl::detail::pools::pool_of(q.get_context(), q.get_device(), kind));
}
inline void *async_malloc(handler &h, usm::alloc kind, std::size_t size) {
  const auto &impl = h.scythe_queue();
  return async_malloc_from_pool(
      h, size, sycl::detail::pools::pool_of(context(impl.context), impl.target, kind));
}

inline void async_free(const queue &q, void *ptr) {
  if (!ptr)
    return;
  const auto owner = sycl::detail::pools::pool_registry::get().take_owner(ptr);
  owner->release(ptr, queue(q).submit([](handler &) {}, {}), sycl::detail::pools::order_of(q));
}
// The event of the group is not known here, so a host task frees the memory.
inline void async_free(handler &h, void *ptr) {
  if (!ptr)
    return;
  h.host_task([owner = sycl::detail::pools::pool_registry::get().take_owner(ptr), ptr] {
    owner->release(ptr, event(), nullptr);
  });
}

} // namespace sycl::ext::oneapi::experimental

namespace sycl {

template <class Pool> Pool context::ext_oneapi_get_default_memory_pool(usm::alloc kind) const {
  if (kind != usm::alloc::host)
    detail::fail(errc::invalid, "ext_oneapi_get_default_memory_pool: allocation kinds device and "
                                "shared require a device argument");
  return detail::pools::default_pool(*this, get_devices()[0], kind);
}
template <class Pool>
Pool context::ext_oneapi_get_default_memory_pool(const device &d, usm::alloc kind) const {
  if (kind != usm::alloc::device && kind != usm::alloc::shared)
    detail::fail(errc::invalid, "ext_oneapi_get_default_memory_pool: the allocation kind must be "
                                "device or shared for a pool of a device");
  if (!impl_->has_device(detail::access_handle::of(d)))
    detail::fail(errc::invalid,
                 "ext_oneapi_get_default_memory_pool: the device is not in the context");
  return detail::pools::default_pool(*this, d, kind);
}

} // namespace sycl

#endif
