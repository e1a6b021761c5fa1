// Group algorithms under the names that they had before SYCL 2020
// (`sycl_ext_oneapi_group_algorithms`), and reductions of that time
// (`sycl_ext_oneapi_nd_range_reductions`). `<CL/sycl.hpp>` includes this header.
#ifndef SCYTHE_EXT_ONEAPI_GROUP_ALGORITHM_HPP
#define SCYTHE_EXT_ONEAPI_GROUP_ALGORITHM_HPP

#include <sycl/accessor.hpp>
#include <sycl/ext/oneapi/functional.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/reduction.hpp>

namespace sycl::ext::oneapi {

// A predicate of each work-item, a value with a predicate, or a range of values.
#define SCYTHE_PREDICATES(name)                                                                    \
  template <class Group> bool name(Group g, bool pred) { return sycl::name##_group(g, pred); }     \
  template <class Group, class T, class Predicate> bool name(Group g, T x, Predicate pred) {       \
    return sycl::name##_group(g, x, pred);                                                         \
  }                                                                                                \
  template <class Group, class Ptr, class Predicate>                                               \
  bool name(Group g, Ptr first, Ptr last, Predicate pred) {                                        \
    return sycl::joint_##name(g, first, last, pred);                                               \
  }
SCYTHE_PREDICATES(any_of)
SCYTHE_PREDICATES(all_of)
SCYTHE_PREDICATES(none_of)
#undef SCYTHE_PREDICATES

template <class Group, class T> T broadcast(Group g, T x) { return sycl::group_broadcast(g, x); }
template <class Group, class T, class Id> T broadcast(Group g, T x, Id id) {
  if constexpr (std::is_convertible_v<Id, typename Group::linear_id_type>)
    return sycl::group_broadcast(g, x, static_cast<typename Group::linear_id_type>(id));
  else
    return sycl::group_broadcast(g, x, id);
}

// The initial value comes before the operation, or a range of values, from pointers.
template <class T>
inline constexpr bool is_range_of_values =
    std::is_pointer_v<T> || !(std::is_arithmetic_v<T> || sycl::detail::has_elements<T>);
template <class Group, class T, class Op> T reduce(Group g, T x, Op op) {
  return sycl::reduce_over_group(g, x, op);
}
template <class Group, class V, class T, class Op> auto reduce(Group g, V x, T init, Op op) {
  if constexpr (is_range_of_values<V>)
    return sycl::joint_reduce(g, x, init, op);
  else
    return sycl::reduce_over_group(g, x, init, op);
}
template <class Group, class Ptr, class T, class Op>
T reduce(Group g, Ptr first, Ptr last, T init, Op op) {
  return sycl::joint_reduce(g, first, last, init, op);
}

template <class Group, class T, class Op> T exclusive_scan(Group g, T x, Op op) {
  return sycl::exclusive_scan_over_group(g, x, op);
}
template <class Group, class V, class T, class Op> T exclusive_scan(Group g, V x, T init, Op op) {
  return sycl::exclusive_scan_over_group(g, x, init, op);
}
template <class Group, class In, class Out, class Op>
Out exclusive_scan(Group g, In first, In last, Out result, Op op) {
  return sycl::joint_exclusive_scan(g, first, last, result, op);
}
template <class Group, class In, class Out, class T, class Op>
Out exclusive_scan(Group g, In first, In last, Out result, T init, Op op) {
  return sycl::joint_exclusive_scan(g, first, last, result, init, op);
}

template <class Group, class T, class Op> T inclusive_scan(Group g, T x, Op op) {
  return sycl::inclusive_scan_over_group(g, x, op);
}
template <class Group, class V, class Op, class T> T inclusive_scan(Group g, V x, Op op, T init) {
  return sycl::inclusive_scan_over_group(g, x, op, init);
}
template <class Group, class In, class Out, class Op>
Out inclusive_scan(Group g, In first, In last, Out result, Op op) {
  return sycl::joint_inclusive_scan(g, first, last, result, op);
}
template <class Group, class In, class Out, class Op, class T>
Out inclusive_scan(Group g, In first, In last, Out result, Op op, T init) {
  return sycl::joint_inclusive_scan(g, first, last, result, op, init);
}

template <class Group> bool leader(Group g) { return g.leader(); }

// Reductions of an accessor of one element. Its mode says whether the previous value counts.
template <access_mode M> sycl::property_list reduction_of_mode() {
  if constexpr (M == access_mode::read_write)
    return {};
  else
    return {sycl::property::reduction::initialize_to_identity()};
}
template <class T, int D, access_mode M, access::placeholder P, class L, class Op>
auto reduction(accessor<T, D, M, target::device, P, L> var, Op combiner) {
  static_assert(D <= 1, "reduction: the accessor must have one element");
  return sycl::detail::make_reduction<0, T>(var, combiner, sycl::detail::identity_for<Op, T>(),
                                            reduction_of_mode<M>());
}
template <class T, int D, access_mode M, access::placeholder P, class L, class Op>
auto reduction(accessor<T, D, M, target::device, P, L> var, const T &identity, Op combiner) {
  static_assert(D <= 1, "reduction: the accessor must have one element");
  return sycl::detail::make_reduction<0, T>(
      var, combiner, sycl::detail::reduction_identity<T, true>{identity}, reduction_of_mode<M>());
}
template <class T, class Op> auto reduction(T *var, Op combiner) {
  return sycl::reduction(var, combiner);
}
template <class T, class Op> auto reduction(T *var, const T &identity, Op combiner) {
  return sycl::reduction(var, identity, combiner);
}

} // namespace sycl::ext::oneapi

#endif
