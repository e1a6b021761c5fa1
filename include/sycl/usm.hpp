// Unified shared memory: allocation by kind, queries, and an allocator for containers.
#ifndef SCYTHE_USM_HPP
#define SCYTHE_USM_HPP

#include <sycl/queue.hpp>

namespace sycl {

namespace usm {
// The values match `scythe_usm_kind`.
enum class alloc : std::uint32_t { host = 0, device = 1, shared = 2, unknown = 3 };
} // namespace usm

namespace detail {

// Returns null if memory is exhausted, as the specification requires. Throws for wrong arguments
// and missing aspects.
inline void *usm_allocate(std::size_t bytes, std::size_t alignment, const device &d,
                          const context &c, usm::alloc kind) {
  if (kind == usm::alloc::unknown)
    fail(errc::invalid, "USM allocation: the allocation kind must be host, device or shared");
  const aspect needed = kind == usm::alloc::host     ? aspect::usm_host_allocations
                        : kind == usm::alloc::device ? aspect::usm_device_allocations
                                                     : aspect::usm_shared_allocations;
  if (!d.has(needed))
    fail(errc::feature_not_supported,
         "USM allocation: device '%s' does not support this kind of allocation; check "
         "aspect::usm_host_allocations, usm_device_allocations and usm_shared_allocations",
         device_label(d).c_str());
  void *out = nullptr;
  check(scythe_usm_alloc(c.scythe_impl()->context.get(), access_handle::of(d),
                         static_cast<std::uint32_t>(kind), bytes, alignment, &out));
  return out;
}

// An overflow means more memory than there is.
template <class T>
T *usm_allocate_array(std::size_t count, std::size_t alignment, const device &d, const context &c,
                      usm::alloc kind) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, sizeof(T), &bytes))
    return nullptr;
  return static_cast<T *>(
      usm_allocate(bytes, alignment > alignof(T) ? alignment : alignof(T), d, c, kind));
}

// These functions have other names, because overload resolution is slow to compile.
inline void *usm_allocate_on(const queue &q, std::size_t bytes, std::size_t alignment,
                             usm::alloc kind) {
  return usm_allocate(bytes, alignment, q.get_device(), q.get_context(), kind);
}
template <class T>
T *usm_array_on(const queue &q, std::size_t count, std::size_t alignment, usm::alloc kind) {
  return usm_allocate_array<T>(count, alignment, q.get_device(), q.get_context(), kind);
}
inline device first_device_of(const context &c) {
  return access_handle::make(*c.scythe_impl()->devices.begin());
}

} // namespace detail

// --- Any kind

inline void *malloc(std::size_t bytes, const device &d, const context &c, usm::alloc kind,
                    const property_list & = {}) {
  return detail::usm_allocate(bytes, 0, d, c, kind);
}
inline void *malloc(std::size_t bytes, const queue &q, usm::alloc kind,
                    const property_list & = {}) {
  return detail::usm_allocate_on(q, bytes, 0, kind);
}
template <class T>
T *malloc(std::size_t count, const device &d, const context &c, usm::alloc kind,
          const property_list & = {}) {
  return detail::usm_allocate_array<T>(count, 0, d, c, kind);
}
template <class T>
T *malloc(std::size_t count, const queue &q, usm::alloc kind, const property_list & = {}) {
  return detail::usm_array_on<T>(q, count, 0, kind);
}
inline void *aligned_alloc(std::size_t alignment, std::size_t bytes, const device &d,
                           const context &c, usm::alloc kind, const property_list & = {}) {
  return detail::usm_allocate(bytes, alignment, d, c, kind);
}
inline void *aligned_alloc(std::size_t alignment, std::size_t bytes, const queue &q,
                           usm::alloc kind, const property_list & = {}) {
  return detail::usm_allocate_on(q, bytes, alignment, kind);
}
template <class T>
T *aligned_alloc(std::size_t alignment, std::size_t count, const device &d, const context &c,
                 usm::alloc kind, const property_list & = {}) {
  return detail::usm_allocate_array<T>(count, alignment, d, c, kind);
}
template <class T>
T *aligned_alloc(std::size_t alignment, std::size_t count, const queue &q, usm::alloc kind,
                 const property_list & = {}) {
  return detail::usm_array_on<T>(q, count, alignment, kind);
}

// --- Device and shared memory belong to a device

#define SCYTHE_USM_OF_DEVICE(kind)                                                                 \
  inline void *malloc_##kind(std::size_t bytes, const device &d, const context &c,                 \
                             const property_list & = {}) {                                         \
    return detail::usm_allocate(bytes, 0, d, c, usm::alloc::kind);                                 \
  }                                                                                                \
  inline void *malloc_##kind(std::size_t bytes, const queue &q, const property_list & = {}) {      \
    return detail::usm_allocate_on(q, bytes, 0, usm::alloc::kind);                                 \
  }                                                                                                \
  template <class T>                                                                               \
  T *malloc_##kind(std::size_t count, const device &d, const context &c,                           \
                   const property_list & = {}) {                                                   \
    return detail::usm_allocate_array<T>(count, 0, d, c, usm::alloc::kind);                        \
  }                                                                                                \
  template <class T>                                                                               \
  T *malloc_##kind(std::size_t count, const queue &q, const property_list & = {}) {                \
    return detail::usm_array_on<T>(q, count, 0, usm::alloc::kind);                                 \
  }                                                                                                \
  inline void *aligned_alloc_##kind(std::size_t alignment, std::size_t bytes, const device &d,     \
                                    const context &c, const property_list & = {}) {                \
    return detail::usm_allocate(bytes, alignment, d, c, usm::alloc::kind);                         \
  }                                                                                                \
  inline void *aligned_alloc_##kind(std::size_t alignment, std::size_t bytes, const queue &q,      \
                                    const property_list & = {}) {                                  \
    return detail::usm_allocate_on(q, bytes, alignment, usm::alloc::kind);                         \
  }                                                                                                \
  template <class T>                                                                               \
  T *aligned_alloc_##kind(std::size_t alignment, std::size_t count, const device &d,               \
                          const context &c, const property_list & = {}) {                          \
    return detail::usm_allocate_array<T>(count, alignment, d, c, usm::alloc::kind);                \
  }                                                                                                \
  template <class T>                                                                               \
  T *aligned_alloc_##kind(std::size_t alignment, std::size_t count, const queue &q,                \
                          const property_list & = {}) {                                            \
    return detail::usm_array_on<T>(q, count, alignment, usm::alloc::kind);                         \
  }
SCYTHE_USM_OF_DEVICE(device)
SCYTHE_USM_OF_DEVICE(shared)
#undef SCYTHE_USM_OF_DEVICE

// --- Host memory belongs to a context

inline void *malloc_host(std::size_t bytes, const context &c, const property_list & = {}) {
  return detail::usm_allocate(bytes, 0, detail::first_device_of(c), c, usm::alloc::host);
}
inline void *malloc_host(std::size_t bytes, const queue &q, const property_list & = {}) {
  return detail::usm_allocate_on(q, bytes, 0, usm::alloc::host);
}
template <class T> T *malloc_host(std::size_t count, const context &c, const property_list & = {}) {
  return detail::usm_allocate_array<T>(count, 0, detail::first_device_of(c), c, usm::alloc::host);
}
template <class T> T *malloc_host(std::size_t count, const queue &q, const property_list & = {}) {
  return detail::usm_array_on<T>(q, count, 0, usm::alloc::host);
}
inline void *aligned_alloc_host(std::size_t alignment, std::size_t bytes, const context &c,
                                const property_list & = {}) {
  return detail::usm_allocate(bytes, alignment, detail::first_device_of(c), c, usm::alloc::host);
}
inline void *aligned_alloc_host(std::size_t alignment, std::size_t bytes, const queue &q,
                                const property_list & = {}) {
  return detail::usm_allocate_on(q, bytes, alignment, usm::alloc::host);
}
template <class T>
T *aligned_alloc_host(std::size_t alignment, std::size_t count, const context &c,
                      const property_list & = {}) {
  return detail::usm_allocate_array<T>(count, alignment, detail::first_device_of(c), c,
                                       usm::alloc::host);
}
template <class T>
T *aligned_alloc_host(std::size_t alignment, std::size_t count, const queue &q,
                      const property_list & = {}) {
  return detail::usm_array_on<T>(q, count, alignment, usm::alloc::host);
}

// --- Free and queries

inline void free(void *ptr, const context &c) {
  if (ptr)
    detail::check(scythe_usm_free(c.scythe_impl()->context.get(), ptr));
}
inline void free(void *ptr, const queue &q) { free(ptr, q.get_context()); }

inline usm::alloc get_pointer_type(const void *ptr, const context &c) {
  std::uint32_t kind = SCYTHE_USM_UNKNOWN;
  scythe_device owner = nullptr;
  detail::check(scythe_usm_query(c.scythe_impl()->context.get(), ptr, &kind, &owner));
  return static_cast<usm::alloc>(kind);
}
inline device get_pointer_device(const void *ptr, const context &c) {
  std::uint32_t kind = SCYTHE_USM_UNKNOWN;
  scythe_device owner = nullptr;
  detail::check(scythe_usm_query(c.scythe_impl()->context.get(), ptr, &kind, &owner));
  if (kind == SCYTHE_USM_UNKNOWN)
    detail::fail(
        errc::invalid,
        "get_pointer_device: the pointer does not point into a USM allocation of the context");
  // Host allocations belong to the context, so return its first device.
  return owner ? detail::access_handle::make(owner) : detail::first_device_of(c);
}

// --- Allocator for containers. The host cannot construct objects in device memory.

template <class T, usm::alloc Kind, std::size_t Alignment = 0> class usm_allocator {
  static_assert(Kind == usm::alloc::host || Kind == usm::alloc::shared,
                "usm_allocator: the allocation kind must be host or shared, because the host "
                "accesses the memory");

public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  template <class U> struct rebind {
    using other = usm_allocator<U, Kind, Alignment>;
  };

  usm_allocator() = delete;
  usm_allocator(const context &c, const device &d, const property_list & = {})
      : context_(c), device_(d) {}
  usm_allocator(const queue &q, const property_list & = {})
      : context_(q.get_context()), device_(q.get_device()) {}
  template <class U>
  usm_allocator(const usm_allocator<U, Kind, Alignment> &other) noexcept
      : context_(other.context_), device_(other.device_) {}

  T *allocate(std::size_t count) {
    T *ptr = detail::usm_allocate_array<T>(count, Alignment, device_, context_, Kind);
    if (!ptr && count)
      detail::fail(errc::memory_allocation,
                   "usm_allocator: cannot allocate %zu elements of %zu bytes", count, sizeof(T));
    return ptr;
  }
  void deallocate(T *ptr, std::size_t) { sycl::free(ptr, context_); }

  template <class U, usm::alloc K, std::size_t A>
  friend bool operator==(const usm_allocator &a, const usm_allocator<U, K, A> &b) {
    return a.same(b);
  }
  template <class U, usm::alloc K, std::size_t A>
  friend bool operator!=(const usm_allocator &a, const usm_allocator<U, K, A> &b) {
    return !a.same(b);
  }

private:
  template <class, usm::alloc, std::size_t> friend class usm_allocator;
  template <class U, usm::alloc K, std::size_t A>
  bool same(const usm_allocator<U, K, A> &other) const {
    return Kind == K && Alignment == A && context_ == other.context_ && device_ == other.device_;
  }
  // These types depend on T, so that only programs with allocators instantiate their constructors.
  detail::later_t<T, context> context_;
  detail::later_t<T, device> device_;
};

} // namespace sycl

#endif
