// Group reductions with any function object and type (`sycl_ext_oneapi_user_defined_reductions`).
// The group provides memory for one value of each of its work-items.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_USER_DEFINED_REDUCTIONS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_USER_DEFINED_REDUCTIONS_HPP

#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>

namespace sycl::detail {

// Whether devices have an operation for this type and function object.
template <class T, class Op>
inline constexpr bool reduced_by_device =
    is_number<T> && operation_has_identity<operation_of<Op>, T>;

// Combines the first `count` values that the group stored in `values`. All work-items get the
// result.
template <class Group, class T, class Op>
T reduce_in_memory(const Group &g, T *values, std::size_t count, Op &op) {
  const std::size_t self = g.get_local_linear_id();
  group_barrier(g);
  while (count > 1) {
    // Combines neighbours in their order, so that the operation need not be commutative.
    const std::size_t pairs = count / 2;
    T joined = values[self < count ? self : 0];
    if (self < pairs)
      joined = op(values[2 * self], values[2 * self + 1]);
    else if (self == pairs && count % 2)
      joined = values[count - 1];
    group_barrier(g);
    count = pairs + count % 2;
    if (self < count)
      values[self] = joined;
    group_barrier(g);
  }
  const T result = values[0];
  group_barrier(g);
  return result;
}

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class Helper, class T, class BinaryOperation,
          class = std::enable_if_t<is_group_helper_v<Helper>>>
T reduce_over_group(Helper helper, T x, BinaryOperation binary_op) {
  const auto g = helper.get_group();
  if constexpr (sycl::detail::reduced_by_device<T, BinaryOperation>) {
    return sycl::reduce_over_group(g, x, binary_op);
  } else {
    T *const values = sycl::detail::scratch_for<T>(helper.get_memory());
    values[g.get_local_linear_id()] = x;
    return sycl::detail::reduce_in_memory(g, values, g.get_local_linear_range(), binary_op);
  }
}
template <class Helper, class V, class T, class BinaryOperation,
          class = std::enable_if_t<is_group_helper_v<Helper>>>
T reduce_over_group(Helper helper, V x, T init, BinaryOperation binary_op) {
  return binary_op(init, experimental::reduce_over_group(helper, static_cast<T>(x), binary_op));
}

// An empty range gives a value-initialised result, or `init`.
template <class Helper, class Ptr, class BinaryOperation,
          class = std::enable_if_t<is_group_helper_v<Helper>>>
sycl::detail::pointee<Ptr> joint_reduce(Helper helper, Ptr first, Ptr last,
                                        BinaryOperation binary_op) {
  using T = sycl::detail::pointee<Ptr>;
  const auto g = helper.get_group();
  if constexpr (sycl::detail::reduced_by_device<T, BinaryOperation>) {
    return sycl::joint_reduce(g, first, last, binary_op);
  } else {
    const std::size_t count = static_cast<std::size_t>(last - first),
                      size = g.get_local_linear_range(), self = g.get_local_linear_id();
    if (count == 0)
      return T{};
    // Each work-item takes neighbouring elements, so that all are combined in order.
    const std::size_t share = (count + size - 1) / size, used = (count + share - 1) / share;
    T *const values = sycl::detail::scratch_for<T>(helper.get_memory());
    if (self < used) {
      T sum = first[self * share];
      for (std::size_t i = self * share + 1; i < (self + 1) * share && i < count; ++i)
        sum = binary_op(sum, first[i]);
      values[self] = sum;
    }
    return sycl::detail::reduce_in_memory(g, values, used, binary_op);
  }
}
template <class Helper, class Ptr, class T, class BinaryOperation,
          class = std::enable_if_t<is_group_helper_v<Helper>>>
T joint_reduce(Helper helper, Ptr first, Ptr last, T init, BinaryOperation binary_op) {
  if (first == last)
    return init;
  return binary_op(init,
                   static_cast<T>(experimental::joint_reduce(helper, first, last, binary_op)));
}

} // namespace sycl::ext::oneapi::experimental

#endif
