// The position of the calling work-item: `global_id::x()` and its relatives, barriers, and local
// memory of constant size.
#ifndef SYCLCOMPAT_ID_QUERY_HPP
#define SYCLCOMPAT_ID_QUERY_HPP

#include <sycl/sycl.hpp>

namespace syclcompat {

namespace detail {
inline sycl::nd_item<3> self() { return sycl::ext::oneapi::this_work_item::get_nd_item<3>(); }
} // namespace detail

#define SYCLCOMPAT_QUERY(name, function)                                                           \
  namespace name {                                                                                 \
  inline std::size_t x() { return detail::self().function(2); }                                    \
  inline std::size_t y() { return detail::self().function(1); }                                    \
  inline std::size_t z() { return detail::self().function(0); }                                    \
  }
SYCLCOMPAT_QUERY(local_id, get_local_id)
SYCLCOMPAT_QUERY(local_range, get_local_range)
SYCLCOMPAT_QUERY(work_group_id, get_group)
SYCLCOMPAT_QUERY(work_group_range, get_group_range)
SYCLCOMPAT_QUERY(global_id, get_global_id)
SYCLCOMPAT_QUERY(global_range, get_global_range)
#undef SYCLCOMPAT_QUERY

inline void wg_barrier() {
  sycl::group_barrier(sycl::ext::oneapi::this_work_item::get_work_group<3>());
}
inline void sg_barrier() {
  sycl::group_barrier(sycl::ext::oneapi::this_work_item::get_sub_group());
}

// Memory of the work-group. Each call in a kernel is one allocation. Returns the address of the
// first element of an array, or of the object.
template <class T> __attribute__((always_inline)) inline auto *local_mem() {
  T *const object = sycl::ext::oneapi::group_local_memory_for_overwrite<T>(
                        sycl::ext::oneapi::this_work_item::get_work_group<3>())
                        .get();
  if constexpr (std::is_array_v<T>)
    return &(*object)[0];
  else
    return object;
}

} // namespace syclcompat

#endif
