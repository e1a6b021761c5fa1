// Memory orders, scopes and fence spaces.
#ifndef SCYTHE_MEMORY_ENUMS_HPP
#define SCYTHE_MEMORY_ENUMS_HPP

namespace sycl {

// Backends report the supported orders of atomic operations with these numbers.
enum class memory_order : int { relaxed = 0, acquire = 1, release = 3, acq_rel = 4, seq_cst = 5 };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;

enum class memory_scope : int {
  work_item = 0,
  sub_group = 1,
  work_group = 2,
  device = 3,
  system = 4,
  ext_codeplay_cuda_cluster_group = 5
};
inline constexpr memory_scope memory_scope_work_item = memory_scope::work_item;
inline constexpr memory_scope memory_scope_sub_group = memory_scope::sub_group;
inline constexpr memory_scope memory_scope_work_group = memory_scope::work_group;
inline constexpr memory_scope memory_scope_device = memory_scope::device;
inline constexpr memory_scope memory_scope_system = memory_scope::system;

namespace access {
enum class fence_space : int { local_space = 0, global_space = 1, global_and_local = 2 };
} // namespace access

} // namespace sycl

#endif
