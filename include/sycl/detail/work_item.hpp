// The position of a work-item and the sizes of its launch.
//
// In device code a `work_item` is empty. The compiler turns each query into a loop counter or a
// field of the launch. On the host, the loops of host mode pass it to the kernel. The public
// classes (`item`, `nd_item`, `group`, …) store the results, so that copies have the same meaning
// everywhere and one layout in all compilations. Queries have no side effects, so the optimiser
// removes unused ones.
#ifndef SCYTHE_DETAIL_WORK_ITEM_HPP
#define SCYTHE_DETAIL_WORK_ITEM_HPP

#include <sycl/detail/abi.h>
#include <sycl/detail/spirv.hpp>
#include <sycl/exception.hpp>
#include <sycl/id.hpp>

#include <cstdint>

namespace sycl::detail {

#ifdef SCYTHE_DEVICE_PASS

struct work_item {
  static std::size_t global_id(int d) { return __spirv_BuiltInGlobalInvocationId(d); }
  static std::size_t global_size(int d) { return __spirv_BuiltInGlobalSize(d); }
  static std::size_t global_offset(int d) { return __spirv_BuiltInGlobalOffset(d); }
  static std::size_t local_id(int d) { return __spirv_BuiltInLocalInvocationId(d); }
  static std::size_t local_size(int d) { return __spirv_BuiltInWorkgroupSize(d); }
  static std::size_t group_id(int d) { return __spirv_BuiltInWorkgroupId(d); }
  static std::size_t num_groups(int d) { return __spirv_BuiltInNumWorkgroups(d); }
};

// Returns the calling work-item.
inline work_item this_work_item() { return {}; }

#else

inline constexpr std::uint32_t host_sub_group_size = 8;

struct work_item {
  const scythe_host_box *box = nullptr;
  std::size_t group[3] = {};
  std::size_t local[3] = {};

  // A work-item of a range is a group of one work-item, with local size 1.
  std::size_t global_id(int d) const {
    return group[d] * box->local_size[d] + local[d] + box->global_offset[d];
  }
  std::size_t global_size(int d) const { return box->global_size[d]; }
  std::size_t global_offset(int d) const { return box->global_offset[d]; }
  std::size_t local_id(int d) const { return local[d]; }
  std::size_t local_size(int d) const { return box->local_size[d]; }
  std::size_t group_id(int d) const { return group[d]; }
  std::size_t num_groups(int d) const { return box->global_size[d] / box->local_size[d]; }
  std::size_t local_linear_id() const {
    return (local[2] * box->local_size[1] + local[1]) * box->local_size[0] + local[0];
  }
  std::size_t local_linear_size() const {
    return box->local_size[0] * box->local_size[1] * box->local_size[2];
  }
};

// The work-item that this thread runs in host mode. Code that runs another work-item on the thread
// restores this variable afterwards.
inline thread_local const work_item *host_work_item = nullptr;

inline const work_item &this_work_item() {
  if (!host_work_item)
    fail(errc::invalid,
         "a function that requires the current work-item was called outside a kernel");
  return *host_work_item;
}

#endif

// Calls `query(d)` for each dimension in SYCL's order: SYCL's last dimension is dimension 0 of the
// queries.
template <class C, int D, class Query> SCYTHE_ALWAYS_INLINE C in_sycl_order(Query query) {
  if constexpr (D == 1)
    return C(query(0));
  else if constexpr (D == 2)
    return C(query(1), query(0));
  else
    return C(query(2), query(1), query(0));
}
template <int D> range<D> local_range_of(const work_item &self) {
  return in_sycl_order<range<D>, D>([&](int d) { return self.local_size(d); });
}

} // namespace sycl::detail

#endif
