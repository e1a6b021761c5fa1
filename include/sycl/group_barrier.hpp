// Group barriers and memory fences.
#ifndef SCYTHE_GROUP_BARRIER_HPP
#define SCYTHE_GROUP_BARRIER_HPP

#include <sycl/detail/host_group.hpp>
#include <sycl/detail/spirv_group.hpp>
#include <sycl/group.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {

namespace detail {
template <class Group> struct for_group : std::enable_if<is_group_v<std::decay_t<Group>>> {};
template <class Group> using if_group = typename for_group<Group>::type;
// Non-uniform groups define their own operations: see
// `ext/oneapi/experimental/non_uniform_groups.hpp`.
template <class Group, class = void> inline constexpr bool is_partial = false;
template <class Group>
inline constexpr bool is_partial<Group, std::void_t<typename Group::scythe_partial>> = true;
template <class Group> using if_partial = std::enable_if_t<is_partial<Group>>;
template <class Group>
inline constexpr std::uint32_t scope_of =
    std::is_same_v<Group, sub_group> ? spirv::scope_sub_group : spirv::scope_work_group;
} // namespace detail

template <class Group, class = detail::if_group<Group>>
void group_barrier(Group g, memory_scope fence_scope = Group::fence_scope) {
  if constexpr (detail::is_partial<Group>) {
    g.scythe_barrier(fence_scope);
  } else {
#ifdef SCYTHE_DEVICE_PASS
    (void)g;
    __spirv_ControlBarrier(detail::scope_of<Group>, detail::spirv::scope(fence_scope),
                           detail::spirv::semantics(memory_order::acq_rel));
#else
    // Work-items of one group run on one thread, so the fence only matters to other groups.
    if (fence_scope == memory_scope::device || fence_scope == memory_scope::system)
      __atomic_thread_fence(__ATOMIC_ACQ_REL);
    detail::members_of(g).wait();
#endif
  }
}

inline void atomic_fence(memory_order order, memory_scope scope) {
#ifdef SCYTHE_DEVICE_PASS
  if (order != memory_order::relaxed)
    __spirv_MemoryBarrier(detail::spirv::scope(scope), detail::spirv::semantics(order));
#else
  (void)scope;
  switch (order) {
  case memory_order::relaxed:
    return;
  case memory_order::acquire:
    return __atomic_thread_fence(__ATOMIC_ACQUIRE);
  case memory_order::release:
    return __atomic_thread_fence(__ATOMIC_RELEASE);
  case memory_order::acq_rel:
    return __atomic_thread_fence(__ATOMIC_ACQ_REL);
  case memory_order::seq_cst:
    return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
#endif
}

} // namespace sycl

#endif
