// Work-group local memory that a kernel declares where it uses it (`sycl_ext_oneapi_local_memory`).
#ifndef SCYTHE_GROUP_LOCAL_MEMORY_HPP
#define SCYTHE_GROUP_LOCAL_MEMORY_HPP

#include <sycl/group_barrier.hpp>
#include <sycl/multi_ptr.hpp>

#include <new>
#include <utility>

#ifdef SCYTHE_DEVICE_PASS
// After inlining, each call is a separate variable. Both arguments are constants.
SCYTHE_DEVICE_LIBRARY extern "C" void *__scythe_group_local_memory(__SIZE_TYPE__ bytes,
                                                                   __SIZE_TYPE__ align) noexcept;
#endif

namespace sycl {

namespace detail {

// Returns the address of the caller's variable of type `T`.
template <class T, int D> SCYTHE_ALWAYS_INLINE void *group_variable(const group<D> &g) {
  static_assert(std::is_trivially_destructible_v<T>,
                "group_local_memory: T must be trivially destructible");
#ifdef SCYTHE_DEVICE_PASS
  (void)g;
  return __scythe_group_local_memory(sizeof(T), alignof(T));
#else
  void *memory = scythe_host_group_memory(g.get_local_linear_id(), sizeof(T), alignof(T));
  if (!memory)
    fail(errc::memory_allocation,
         "group_local_memory: cannot allocate %zu bytes of work-group local memory", sizeof(T));
  return memory;
#endif
}

} // namespace detail

namespace ext::oneapi {

// Each call in a kernel is one variable, which the work-items of the group share. Its value is
// indeterminate.
template <class T, int D>
SCYTHE_ALWAYS_INLINE multi_ptr<T, access::address_space::local_space, access::decorated::legacy>
group_local_memory_for_overwrite(group<D> g) {
  void *memory = detail::group_variable<T>(g);
  if constexpr (!std::is_trivially_default_constructible_v<T>) {
    if (g.leader())
      new (memory) T;
    group_barrier(g);
  }
  return multi_ptr<T, access::address_space::local_space, access::decorated::legacy>(
      static_cast<T *>(memory));
}

// Constructs the variable from `args` before any work-item continues.
template <class T, int D, class... Args>
SCYTHE_ALWAYS_INLINE multi_ptr<T, access::address_space::local_space, access::decorated::legacy>
group_local_memory(group<D> g, Args &&...args) {
  void *memory = detail::group_variable<T>(g);
  if (g.leader())
    new (memory) T{std::forward<Args>(args)...};
  group_barrier(g);
  return multi_ptr<T, access::address_space::local_space, access::decorated::legacy>(
      static_cast<T *>(memory));
}

} // namespace ext::oneapi

} // namespace sycl

#endif
