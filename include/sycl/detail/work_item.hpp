// Where a work-item finds its position and its launch's sizes.
//
// In device code a `work_item` is empty and every answer is a query that the compiler turns into a
// loop counter or a launch field. On the host it is what the host-mode loops pass along. What
// programs see of a work-item (`item`, `nd_item`, `group`, …) holds the answers, so that copies
// mean the same wherever they are read, with one layout in all compilations. Queries have no side
// effects: the optimiser drops those that nobody reads.
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

// The work-item that calls it.
inline work_item this_work_item() { return {}; }

#else

inline constexpr std::uint32_t host_sub_group_size = 8;

struct work_item {
  const scythe_host_box *box = nullptr;
  std::size_t group[3] = {};
  std::size_t local[3] = {};

  // A work-item of a range is a group of its own: its local size is 1.
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

// The work-item that this thread runs, in host mode. Whoever lets another one run on the thread
// puts it back afterwards.
inline thread_local const work_item *host_work_item = nullptr;

inline const work_item &this_work_item() {
  if (!host_work_item)
    fail(errc::invalid,
         "a function that requires the current work-item was called outside a kernel");
  return *host_work_item;
}

#endif

// `query(d)` for each dimension, in SYCL's order: its last dimension is the queries' dimension 0.
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
