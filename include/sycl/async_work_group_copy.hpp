// Asynchronous copies by the work-items of a group, and the event that represents them.
//
// Each work-item copies its share at once. Waiting for the event is a barrier.
#ifndef SCYTHE_ASYNC_WORK_GROUP_COPY_HPP
#define SCYTHE_ASYNC_WORK_GROUP_COPY_HPP

#include <sycl/access.hpp>
#include <sycl/nd_item.hpp>

namespace sycl {

class device_event {
public:
  // All work-items of the group must call this function.
  void wait() const noexcept {
#ifdef SCYTHE_DEVICE_PASS
    __spirv_ControlBarrier(detail::spirv::scope_work_group, detail::spirv::scope_work_group,
                           detail::spirv::semantics(memory_order::acq_rel));
#else
    detail::host_members{0, 0, 0}.wait();
#endif
  }
};

namespace detail {

// Works for pointers and `multi_ptr`.
template <class T> T *address_of_first(T *p) { return p; }
template <class P> auto address_of_first(const P &p) -> decltype(p.get_raw()) {
  return p.get_raw();
}

template <class P>
inline constexpr bool is_local_pointer = P::address_space == access::address_space::local_space;
template <class T> inline constexpr bool is_local_pointer<T *> = false;

// Copies the elements `place`, `place + step`, … of `count`.
template <class To, class From>
void copy_share(To to, From from, std::size_t count, std::size_t to_stride, std::size_t from_stride,
                std::size_t place, std::size_t step) {
  for (std::size_t i = place; i < count; i += step)
    to[i * to_stride] = from[i * from_stride];
}

} // namespace detail

template <int D>
template <class To, class From>
device_event group<D>::async_work_group_copy(To to, From from, std::size_t count) const {
  return async_work_group_copy(to, from, count, 1);
}
// The stride applies to the memory outside the group.
template <int D>
template <class To, class From>
device_event group<D>::async_work_group_copy(To to, From from, std::size_t count,
                                             std::size_t stride) const {
  constexpr bool to_local = detail::is_local_pointer<To>;
  // One work-item runs the whole group in hierarchical parallelism.
  const range<D> running = detail::local_range_of<D>(detail::this_work_item());
  detail::copy_share(detail::address_of_first(to), detail::address_of_first(from), count,
                     to_local ? 1 : stride, to_local ? stride : 1,
                     detail::linear(get_local_id(), running), running.size());
  return device_event();
}
template <int D> template <class... Events> void group<D>::wait_for(Events... events) const {
  (events.wait(), ...);
}

template <int D>
template <class To, class From>
device_event nd_item<D>::async_work_group_copy(To to, From from, std::size_t count) const {
  return get_group().async_work_group_copy(to, from, count);
}
template <int D>
template <class To, class From>
device_event nd_item<D>::async_work_group_copy(To to, From from, std::size_t count,
                                               std::size_t stride) const {
  return get_group().async_work_group_copy(to, from, count, stride);
}

} // namespace sycl

#endif
