// `group_load` and `group_store`: the work-items of a group move a block of memory together
// (`sycl_ext_oneapi_group_load_store`).
//
// With blocked placement, each work-item has neighbouring elements. With striped placement, the
// neighbours of an element belong to the neighbours of its work-item. The other properties are
// hints. As in DPC++, each function synchronises the group before and after the accesses.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GROUP_LOAD_STORE_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GROUP_LOAD_STORE_HPP

#include <sycl/ext/oneapi/properties.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/span.hpp>
#include <sycl/vec.hpp>

namespace sycl {

namespace ext::oneapi::experimental {

enum class data_placement_enum { blocked, striped };

struct data_placement_key {
  template <data_placement_enum Placement> struct value_t {
    using key_t = data_placement_key;
    static constexpr data_placement_enum value = Placement;
  };
};
template <data_placement_enum Placement>
inline constexpr data_placement_key::value_t<Placement> data_placement{};
inline constexpr auto data_placement_blocked = data_placement<data_placement_enum::blocked>;
inline constexpr auto data_placement_striped = data_placement<data_placement_enum::striped>;

struct contiguous_memory_key {
  struct value_t {
    using key_t = contiguous_memory_key;
  };
};
inline constexpr contiguous_memory_key::value_t contiguous_memory{};
struct full_group_key {
  struct value_t {
    using key_t = full_group_key;
  };
};
inline constexpr full_group_key::value_t full_group{};

} // namespace ext::oneapi::experimental

namespace detail {

// Calls `move` with the index of each of `count` elements of this work-item and its place in
// memory.
template <class Properties, class Group, class Move>
void move_elements(Group g, std::size_t count, Move move) {
  using ext::oneapi::experimental::data_placement_enum;
  using key = ext::oneapi::experimental::data_placement_key;
  bool striped = false;
  if constexpr (Properties::template has_property<key>())
    striped = decltype(std::declval<Properties>().template get_property<key>())::value ==
              data_placement_enum::striped;
  const std::size_t self = g.get_local_linear_id(), size = g.get_local_linear_range();
  group_barrier(g);
  for (std::size_t i = 0; i < count; ++i)
    move(i, striped ? i * size + self : self * count + i);
  group_barrier(g);
}

} // namespace detail

namespace ext::oneapi::experimental {

template <class Group, class In, class T, std::size_t N, class Properties = properties<>>
void group_load(Group g, In in, span<T, N> out, Properties = {}) {
  sycl::detail::move_elements<Properties>(g, N,
                                          [&](std::size_t i, std::size_t at) { out[i] = in[at]; });
}
template <class Group, class In, class T, int N, class Properties = properties<>>
void group_load(Group g, In in, vec<T, N> &out, Properties = {}) {
  sycl::detail::move_elements<Properties>(
      g, N, [&](std::size_t i, std::size_t at) { out[static_cast<int>(i)] = in[at]; });
}
template <class Group, class In, class T, class Properties = properties<>>
void group_load(Group g, In in, T &out, Properties = {}) {
  sycl::detail::move_elements<Properties>(g, 1, [&](std::size_t, std::size_t at) { out = in[at]; });
}

template <class Group, class T, std::size_t N, class Out, class Properties = properties<>>
void group_store(Group g, span<T, N> in, Out out, Properties = {}) {
  sycl::detail::move_elements<Properties>(g, N,
                                          [&](std::size_t i, std::size_t at) { out[at] = in[i]; });
}
template <class Group, class T, int N, class Out, class Properties = properties<>>
void group_store(Group g, const vec<T, N> &in, Out out, Properties = {}) {
  sycl::detail::move_elements<Properties>(
      g, N, [&](std::size_t i, std::size_t at) { out[at] = in[static_cast<int>(i)]; });
}
template <class Group, class T, class Out, class Properties = properties<>>
void group_store(Group g, const T &in, Out out, Properties = {}) {
  sycl::detail::move_elements<Properties>(g, 1, [&](std::size_t, std::size_t at) { out[at] = in; });
}

} // namespace ext::oneapi::experimental
} // namespace sycl

#endif
