// Group algorithms: collective operations of the work-items of a work-group or sub-group (SYCL
// 2020, 4.17.4).
//
// All work-items of the group must call them in uniform control flow. Integer operations give the
// same result in any order. The implementation chooses the order of floating-point operations.
#ifndef SCYTHE_GROUP_ALGORITHMS_HPP
#define SCYTHE_GROUP_ALGORITHMS_HPP

#include <sycl/detail/collective.hpp>

namespace sycl {

namespace detail {

template <class Group>
struct for_sub_group
    : std::enable_if<std::is_same_v<std::decay_t<Group>, sub_group> || is_partial<Group>> {};
template <class Group> using if_sub_group = typename for_sub_group<Group>::type;
template <class P>
using pointee = std::remove_cv_t<std::remove_reference_t<decltype(*std::declval<P &>())>>;

template <class T, class Op> constexpr void check_operation() {
  using element = typename shape<T>::element;
  static_assert(
      is_number<element>,
      "a group algorithm requires an arithmetic type, or a vec or marray of an arithmetic type");
  static_assert(operation_of<Op> != operation::other,
                "the operation of a group algorithm must be sycl::plus, multiplies, minimum, "
                "maximum, bit_and, bit_or, bit_xor, logical_and or logical_or");
  static_assert(operation_has_identity<operation_of<Op>, element>,
                "a group algorithm with a bitwise operation requires integers");
  static_assert(!has_elements<T> || (operation_of<Op> != operation::logical_and &&
                                     operation_of<Op> != operation::logical_or),
                "a group algorithm with a logical operation requires scalars");
}

} // namespace detail

// --- One value of each work-item

template <class Group, class T, class = detail::if_group<Group>> T group_broadcast(Group g, T x) {
  return detail::value_of(g, x, typename Group::id_type());
}
template <class Group, class T, class = detail::if_group<Group>>
T group_broadcast(Group g, T x, typename Group::id_type local_id) {
  return detail::value_of(g, x, local_id);
}
template <class Group, class T, class I,
          class = std::enable_if_t<is_group_v<Group> && std::is_integral_v<I> &&
                                   !std::is_same_v<I, typename Group::id_type>>>
T group_broadcast(Group g, T x, I linear_local_id) {
  typename Group::id_type id;
  auto rest = static_cast<std::size_t>(linear_local_id);
  const auto size = g.get_local_range();
  for (int d = Group::dimensions - 1; d > 0; --d) {
    id[d] = rest % size[d];
    rest /= size[d];
  }
  id[0] = rest;
  return detail::value_of(g, x, id);
}

template <class Group, class = detail::if_group<Group>> bool any_of_group(Group g, bool pred) {
  return detail::any(g, pred);
}
template <class Group, class = detail::if_group<Group>> bool all_of_group(Group g, bool pred) {
  return detail::all(g, pred);
}
template <class Group, class = detail::if_group<Group>> bool none_of_group(Group g, bool pred) {
  return !detail::any(g, pred);
}
template <class Group, class T, class Predicate, class = detail::if_group<Group>>
bool any_of_group(Group g, T x, Predicate pred) {
  return detail::any(g, static_cast<bool>(pred(x)));
}
template <class Group, class T, class Predicate, class = detail::if_group<Group>>
bool all_of_group(Group g, T x, Predicate pred) {
  return detail::all(g, static_cast<bool>(pred(x)));
}
template <class Group, class T, class Predicate, class = detail::if_group<Group>>
bool none_of_group(Group g, T x, Predicate pred) {
  return !detail::any(g, static_cast<bool>(pred(x)));
}

template <class Group, class T, class = detail::if_sub_group<Group>>
T shift_group_left(Group g, T x, typename Group::linear_id_type delta = 1) {
  return detail::shuffle_down(g, x, delta);
}
template <class Group, class T, class = detail::if_sub_group<Group>>
T shift_group_right(Group g, T x, typename Group::linear_id_type delta = 1) {
  return detail::shuffle_up(g, x, delta);
}
template <class Group, class T, class = detail::if_sub_group<Group>>
T permute_group_by_xor(Group g, T x, typename Group::linear_id_type mask) {
  return detail::shuffle_xor(g, x, mask);
}
template <class Group, class T, class = detail::if_sub_group<Group>>
T select_from_group(Group g, T x, typename Group::id_type remote_local_id) {
  return detail::shuffle(g, x, static_cast<std::uint32_t>(remote_local_id[0]));
}

template <class Group, class T, class Op, class = detail::if_group<Group>>
T reduce_over_group(Group g, T x, Op binary_op) {
  detail::check_operation<T, Op>();
  return detail::combine<detail::spirv::reduce>(g, x, binary_op);
}
template <class Group, class V, class T, class Op, class = detail::if_group<Group>>
T reduce_over_group(Group g, V x, T init, Op binary_op) {
  return static_cast<T>(binary_op(init, sycl::reduce_over_group(g, static_cast<T>(x), binary_op)));
}
template <class Group, class T, class Op, class = detail::if_group<Group>>
T exclusive_scan_over_group(Group g, T x, Op binary_op) {
  detail::check_operation<T, Op>();
  return detail::combine<detail::spirv::exclusive_scan>(g, x, binary_op);
}
template <class Group, class V, class T, class Op, class = detail::if_group<Group>>
T exclusive_scan_over_group(Group g, V x, T init, Op binary_op) {
  return static_cast<T>(
      binary_op(init, sycl::exclusive_scan_over_group(g, static_cast<T>(x), binary_op)));
}
template <class Group, class T, class Op, class = detail::if_group<Group>>
T inclusive_scan_over_group(Group g, T x, Op binary_op) {
  detail::check_operation<T, Op>();
  return detail::combine<detail::spirv::inclusive_scan>(g, x, binary_op);
}
template <class Group, class V, class Op, class T, class = detail::if_group<Group>>
T inclusive_scan_over_group(Group g, V x, Op binary_op, T init) {
  return static_cast<T>(
      binary_op(init, sycl::inclusive_scan_over_group(g, static_cast<T>(x), binary_op)));
}

// --- A range of values in memory

namespace detail {

// Returns whether `pred` holds for at least one element of the caller's share: elements in steps of
// the group's size.
template <class Group, class Ptr, class Predicate>
bool any_of_share(const Group &g, Ptr first, Ptr last, Predicate pred) {
  const std::size_t count = static_cast<std::size_t>(last - first);
  bool found = false;
  for (std::size_t i = g.get_local_linear_id(); i < count; i += g.get_local_linear_range())
    found = found || static_cast<bool>(pred(first[i]));
  return found;
}

template <class T, class Group, class Ptr, class Op>
T reduce_share(const Group &g, Ptr first, Ptr last, Op op) {
  const std::size_t count = static_cast<std::size_t>(last - first);
  T sum = identity_of<operation_of<Op>, T>();
  for (std::size_t i = g.get_local_linear_id(); i < count; i += g.get_local_linear_range())
    sum = static_cast<T>(op(sum, static_cast<T>(first[i])));
  return sum;
}

// Scans blocks of the group's size one after another. `before` is the result of all preceding
// blocks.
template <bool Inclusive, class Group, class In, class Out, class T, class Op>
Out joint_scan(const Group &g, In first, In last, Out result, T before, Op op) {
  check_operation<T, Op>();
  const std::size_t count = static_cast<std::size_t>(last - first),
                    size = g.get_local_linear_range();
  for (std::size_t block = 0; block < count; block += size) {
    const std::size_t i = block + g.get_local_linear_id();
    const T x = i < count ? static_cast<T>(first[i]) : identity_of<operation_of<Op>, T>();
    T upto;
    if constexpr (Inclusive) {
      upto = static_cast<T>(op(before, combine<spirv::inclusive_scan>(g, x, op)));
      if (i < count)
        result[i] = upto;
    } else {
      const T preceding = static_cast<T>(op(before, combine<spirv::exclusive_scan>(g, x, op)));
      if (i < count)
        result[i] = preceding;
      upto = static_cast<T>(op(preceding, x));
    }
    before = sycl::group_broadcast(g, upto, size - 1);
  }
  return result + static_cast<std::ptrdiff_t>(count);
}

} // namespace detail

template <class Group, class Ptr, class Predicate, class = detail::if_group<Group>>
bool joint_any_of(Group g, Ptr first, Ptr last, Predicate pred) {
  return detail::any(g, detail::any_of_share(g, first, last, pred));
}
template <class Group, class Ptr, class Predicate, class = detail::if_group<Group>>
bool joint_all_of(Group g, Ptr first, Ptr last, Predicate pred) {
  return !sycl::joint_any_of(g, first, last, [&](const auto &x) { return !pred(x); });
}
template <class Group, class Ptr, class Predicate, class = detail::if_group<Group>>
bool joint_none_of(Group g, Ptr first, Ptr last, Predicate pred) {
  return !sycl::joint_any_of(g, first, last, pred);
}

template <class Group, class Ptr, class Op, class = detail::if_group<Group>>
detail::pointee<Ptr> joint_reduce(Group g, Ptr first, Ptr last, Op binary_op) {
  using T = detail::pointee<Ptr>;
  detail::check_operation<T, Op>();
  return sycl::reduce_over_group(g, detail::reduce_share<T>(g, first, last, binary_op), binary_op);
}
template <class Group, class Ptr, class T, class Op, class = detail::if_group<Group>>
T joint_reduce(Group g, Ptr first, Ptr last, T init, Op binary_op) {
  detail::check_operation<T, Op>();
  return sycl::reduce_over_group(g, detail::reduce_share<T>(g, first, last, binary_op), init,
                                 binary_op);
}

template <class Group, class In, class Out, class Op, class = detail::if_group<Group>>
Out joint_exclusive_scan(Group g, In first, In last, Out result, Op binary_op) {
  using T = detail::pointee<Out>;
  return detail::joint_scan<false>(g, first, last, result,
                                   detail::identity_of<detail::operation_of<Op>, T>(), binary_op);
}
template <class Group, class In, class Out, class T, class Op, class = detail::if_group<Group>>
Out joint_exclusive_scan(Group g, In first, In last, Out result, T init, Op binary_op) {
  return detail::joint_scan<false>(g, first, last, result, init, binary_op);
}
template <class Group, class In, class Out, class Op, class = detail::if_group<Group>>
Out joint_inclusive_scan(Group g, In first, In last, Out result, Op binary_op) {
  using T = detail::pointee<Out>;
  return detail::joint_scan<true>(g, first, last, result,
                                  detail::identity_of<detail::operation_of<Op>, T>(), binary_op);
}
template <class Group, class In, class Out, class Op, class T, class = detail::if_group<Group>>
Out joint_inclusive_scan(Group g, In first, In last, Out result, Op binary_op, T init) {
  return detail::joint_scan<true>(g, first, last, result, init, binary_op);
}

} // namespace sycl

#endif
