// Group sorts (`sycl_ext_oneapi_group_sort`) of elements in memory (`joint_sort`), or of elements
// that the work-items hold (`sort_over_group`, `sort_key_value_over_group`). All work-items of the
// group must call them.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GROUP_SORT_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GROUP_SORT_HPP

#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>

namespace sycl::detail {
template <class H>
using if_group_helper = std::enable_if_t<ext::oneapi::experimental::is_group_helper_v<H>>;
// Every type except a property list may be a comparison.
template <class C> using if_compares = std::enable_if_t<!is_properties<C>>;
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

// --- In memory

template <class Helper, class Ptr, class = sycl::detail::if_group_helper<Helper>>
void joint_sort(Helper helper, Ptr first, Ptr last) {
  default_sorters::joint_sorter<>(helper.get_memory())(helper.get_group(), first, last);
}
template <class Helper, class Ptr, class Compare, class = sycl::detail::if_group_helper<Helper>>
void joint_sort(Helper helper, Ptr first, Ptr last, Compare comp) {
  default_sorters::joint_sorter<Compare>(helper.get_memory(), comp)(helper.get_group(), first,
                                                                    last);
}
template <class Group, class Ptr, class Sorter, class = sycl::detail::if_group<Group>, class = void>
void joint_sort(Group g, Ptr first, Ptr last, Sorter sorter) {
  sorter(g, first, last);
}

// --- One value of each work-item

template <class Helper, class T, class = sycl::detail::if_group_helper<Helper>>
T sort_over_group(Helper helper, T value) {
  return default_sorters::group_sorter<T>(helper.get_memory())(helper.get_group(), value);
}
template <class Helper, class T, class Compare, class = sycl::detail::if_group_helper<Helper>,
          class = sycl::detail::if_compares<Compare>>
T sort_over_group(Helper helper, T value, Compare comp) {
  return default_sorters::group_sorter<T, Compare>(helper.get_memory(), comp)(helper.get_group(),
                                                                              value);
}
template <class Group, class T, class Sorter, class = sycl::detail::if_group<Group>, class = void,
          class = void>
T sort_over_group(Group g, T value, Sorter sorter) {
  return sorter(g, value);
}

template <class Helper, class T, class U, class = sycl::detail::if_group_helper<Helper>>
std::tuple<T, U> sort_key_value_over_group(Helper helper, T key, U value) {
  return default_sorters::group_key_value_sorter<T, U>(helper.get_memory())(helper.get_group(), key,
                                                                            value);
}
template <class Helper, class T, class U, class Compare,
          class = sycl::detail::if_group_helper<Helper>, class = sycl::detail::if_compares<Compare>>
std::tuple<T, U> sort_key_value_over_group(Helper helper, T key, U value, Compare comp) {
  return default_sorters::group_key_value_sorter<T, U, Compare>(helper.get_memory(), comp)(
      helper.get_group(), key, value);
}
template <class Group, class T, class U, class Sorter, class = sycl::detail::if_group<Group>,
          class = void, class = void>
std::tuple<T, U> sort_key_value_over_group(Group g, T key, U value, Sorter sorter) {
  return sorter(g, key, value);
}

// --- Several values of each work-item

template <class Helper, class T, std::size_t N, class Properties = empty_properties_t,
          class = sycl::detail::if_group_helper<Helper>,
          class = sycl::detail::if_properties<Properties>>
void sort_over_group(Helper helper, span<T, N> values, Properties properties = {}) {
  default_sorters::group_sorter<T, std::less<>, N>(helper.get_memory())(helper.get_group(), values,
                                                                        properties);
}
template <class Helper, class T, std::size_t N, class Compare,
          class Properties = empty_properties_t, class = sycl::detail::if_group_helper<Helper>,
          class = sycl::detail::if_compares<Compare>>
void sort_over_group(Helper helper, span<T, N> values, Compare comp, Properties properties = {}) {
  default_sorters::group_sorter<T, Compare, N>(helper.get_memory(), comp)(helper.get_group(),
                                                                          values, properties);
}
template <class Group, class T, std::size_t N, class Sorter, class Properties = empty_properties_t,
          class = sycl::detail::if_group<Group>, class = void, class = void>
void sort_over_group(Group g, span<T, N> values, Sorter sorter, Properties properties = {}) {
  sorter(g, values, properties);
}

template <class Helper, class T, class U, std::size_t N, class Properties = empty_properties_t,
          class = sycl::detail::if_group_helper<Helper>,
          class = sycl::detail::if_properties<Properties>>
void sort_key_value_over_group(Helper helper, span<T, N> keys, span<U, N> values,
                               Properties properties = {}) {
  default_sorters::group_key_value_sorter<T, U, std::less<>, N>(helper.get_memory())(
      helper.get_group(), keys, values, properties);
}
template <class Helper, class T, class U, std::size_t N, class Compare,
          class Properties = empty_properties_t, class = sycl::detail::if_group_helper<Helper>,
          class = sycl::detail::if_compares<Compare>>
void sort_key_value_over_group(Helper helper, span<T, N> keys, span<U, N> values, Compare comp,
                               Properties properties = {}) {
  default_sorters::group_key_value_sorter<T, U, Compare, N>(helper.get_memory(), comp)(
      helper.get_group(), keys, values, properties);
}
template <class Group, class T, class U, std::size_t N, class Sorter,
          class Properties = empty_properties_t, class = sycl::detail::if_group<Group>,
          class = void, class = void>
void sort_key_value_over_group(Group g, span<T, N> keys, span<U, N> values, Sorter sorter,
                               Properties properties = {}) {
  sorter(g, keys, values, properties);
}

} // namespace sycl::ext::oneapi::experimental

#endif
