// A group with scratch memory, and the sorters of `sycl_ext_oneapi_group_sort`.
//
// All sorters use merge sort: pairs of runs of 1, 2, 4, … elements are merged. Each element finds
// its position in the merged run by a binary search in the other run. Work-items process elements
// in steps of the group's size, in any order. Equal elements keep their order.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GROUP_HELPERS_SORTERS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GROUP_HELPERS_SORTERS_HPP

#include <sycl/ext/oneapi/properties.hpp>
#include <sycl/functional.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/span.hpp>

#include <bitset>
#include <cstddef>
#include <tuple>

namespace sycl {

class device;

namespace ext::oneapi::experimental {

// A group and its scratch memory, which is the same for all work-items.
template <class Group, std::size_t Extent> class group_with_scratchpad {
public:
  group_with_scratchpad(Group group, span<std::byte, Extent> scratch)
      : group_(group), scratch_(scratch) {}
  Group get_group() const { return group_; }
  span<std::byte, Extent> get_memory() const { return scratch_; }

private:
  Group group_;
  span<std::byte, Extent> scratch_;
};
template <class Group, std::size_t Extent>
group_with_scratchpad(Group, span<std::byte, Extent>) -> group_with_scratchpad<Group, Extent>;

template <class T, class = void> struct is_group_helper : std::false_type {};
template <class T>
struct is_group_helper<T, std::void_t<decltype(std::declval<const T &>().get_memory()),
                                      decltype(std::declval<const T &>().get_group())>>
    : std::true_type {};
template <class T> inline constexpr bool is_group_helper_v = is_group_helper<T>::value;

enum class sorting_order { ascending, descending };
enum class group_algorithm_data_placement { blocked, striped };

#define SCYTHE_PLACEMENT(name)                                                                     \
  struct name##_key {                                                                              \
    template <group_algorithm_data_placement Placement> struct value_t {                           \
      using key_t = name##_key;                                                                    \
      static constexpr group_algorithm_data_placement value = Placement;                           \
    };                                                                                             \
  };                                                                                               \
  template <group_algorithm_data_placement Placement>                                              \
  inline constexpr name##_key::value_t<Placement> name{};
SCYTHE_PLACEMENT(input_data_placement)
SCYTHE_PLACEMENT(output_data_placement)
#undef SCYTHE_PLACEMENT

} // namespace ext::oneapi::experimental

namespace detail {

// `span<std::byte>` as a type that depends on `V`.
template <class V> using scratch_span = span<later_t<V, std::byte>>;

// Returns the first address in scratch memory that is aligned for `T`.
template <class T, std::size_t Extent> T *scratch_for(const span<std::byte, Extent> &scratch) {
  const auto address = reinterpret_cast<std::uintptr_t>(scratch.data());
  const std::uintptr_t past = address % alignof(T);
  return reinterpret_cast<T *>(scratch.data() + (past ? alignof(T) - past : 0));
}
template <class T> constexpr std::size_t scratch_bytes(std::size_t elements) {
  return elements * sizeof(T) + alignof(T);
}

// Returns the new position of the element at `place` when pairs of runs of `width` elements are
// merged. An element of the second run comes after equal elements of the first run.
template <class In, class T, class Compare>
std::size_t merged_place(const In &in, std::size_t count, std::size_t place, const T &value,
                         std::size_t width, Compare &less) {
  const std::size_t pair = place / (2 * width) * (2 * width);
  const std::size_t middle = pair + width < count ? pair + width : count;
  const std::size_t end = pair + 2 * width < count ? pair + 2 * width : count;
  const bool second = place >= middle;
  std::size_t low = second ? pair : middle, high = second ? middle : end;
  const std::size_t other = low;
  while (low < high) {
    const std::size_t at = low + (high - low) / 2;
    const T element = in[at];
    if (second ? !less(value, element) : static_cast<bool>(less(element, value)))
      low = at + 1;
    else
      high = at;
  }
  return second ? pair + (place - middle) + (low - other) : place + (low - other);
}

// Sorts memory. `scratch` holds as many elements.
template <class T, class Group, class Ptr, class Compare>
void sort_memory(const Group &g, Ptr first, std::size_t count, T *scratch, Compare less) {
  const std::size_t self = g.get_local_linear_id(), size = g.get_local_linear_range();
  bool moved = false;
  group_barrier(g);
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t i = self; i < count; i += size) {
      if (moved) {
        const T value = scratch[i];
        first[merged_place(scratch, count, i, value, width, less)] = value;
      } else {
        const T value = first[i];
        scratch[merged_place(first, count, i, value, width, less)] = value;
      }
    }
    moved = !moved;
    group_barrier(g);
  }
  if (moved) {
    for (std::size_t i = self; i < count; i += size)
      first[i] = scratch[i];
    group_barrier(g);
  }
}

// Computes the position of each of the caller's values among those of the whole group. `scratch`
// holds all values.
template <std::size_t N, class T, class Group, class Compare>
void places_over_group(const Group &g, const T *values, std::size_t *places, T *scratch,
                       Compare less) {
  const std::size_t count = g.get_local_linear_range() * N;
  group_barrier(g);
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t i = 0; i < N; ++i)
      scratch[places[i]] = values[i];
    group_barrier(g);
    for (std::size_t i = 0; i < N; ++i)
      places[i] = merged_place(scratch, count, places[i], values[i], width, less);
    group_barrier(g);
  }
}

// Converts between the index of the caller's element `i` of `N` and the index among all elements.
template <std::size_t N, class Group>
std::size_t element_place(const Group &g, std::size_t i,
                          ext::oneapi::experimental::group_algorithm_data_placement p) {
  return p == ext::oneapi::experimental::group_algorithm_data_placement::blocked
             ? g.get_local_linear_id() * N + i
             : i * g.get_local_linear_range() + g.get_local_linear_id();
}
template <class Key, class Properties> constexpr auto placement_of() {
  using namespace ext::oneapi::experimental;
  if constexpr (Properties::template has_property<Key>())
    return decltype(std::declval<Properties>().template get_property<Key>())::value;
  else
    return group_algorithm_data_placement::blocked;
}

// Gives every work-item the values at its positions.
template <std::size_t N, class T, class Group>
void place_values(const Group &g, T *values, const std::size_t *places, T *scratch,
                  ext::oneapi::experimental::group_algorithm_data_placement output) {
  for (std::size_t i = 0; i < N; ++i)
    scratch[places[i]] = values[i];
  group_barrier(g);
  for (std::size_t i = 0; i < N; ++i)
    values[i] = scratch[element_place<N>(g, i, output)];
  group_barrier(g);
}

// Sorts the caller's `N` keys with those of the whole group. If there are `values`, they are sorted
// like the keys.
template <std::size_t N, class Properties, class T, class U, class Group, std::size_t Extent,
          class Compare>
void sort_values(const Group &g, T *keys, U *values, const span<std::byte, Extent> &scratch,
                 Compare less) {
  using namespace ext::oneapi::experimental;
  constexpr group_algorithm_data_placement
      input = placement_of<input_data_placement_key, Properties>(),
      output = placement_of<output_data_placement_key, Properties>();
  std::size_t places[N];
  for (std::size_t i = 0; i < N; ++i)
    places[i] = element_place<N>(g, i, input);
  places_over_group<N>(g, keys, places, scratch_for<T>(scratch), less);
  place_values<N>(g, keys, places, scratch_for<T>(scratch), output);
  if (values)
    place_values<N>(g, values, places, scratch_for<U>(scratch), output);
}

// Orders numbers by some of their bits, like a radix sort on those bits.
template <class T, ext::oneapi::experimental::sorting_order Order> struct radix_less {
  static_assert(is_number<T>, "a radix sorter requires an arithmetic type");
  using bits = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  bits mask;

  // Maps larger numbers to larger bit patterns.
  static bits ordered(const T &x) {
    constexpr bits sign = static_cast<bits>(bits(1) << (sizeof(T) * 8 - 1));
    const bits b = __builtin_bit_cast(bits, x);
    if constexpr (!std::is_integral_v<T>)
      return static_cast<bits>(b & sign ? ~b : b | sign);
    else
      return static_cast<bits>(std::is_signed_v<T> ? b ^ sign : b);
  }
  bool operator()(const T &a, const T &b) const {
    const bits x = static_cast<bits>(ordered(a) & mask), y = static_cast<bits>(ordered(b) & mask);
    return Order == ext::oneapi::experimental::sorting_order::ascending ? x < y : y < x;
  }
};

} // namespace detail

namespace ext::oneapi::experimental {

namespace default_sorters {

template <class Compare = std::less<>> class joint_sorter {
public:
  template <std::size_t Extent>
  joint_sorter(span<std::byte, Extent> scratch, Compare comp = {})
      : scratch_(scratch), less_(comp) {}
  template <class Group, class Ptr> void operator()(Group g, Ptr first, Ptr last) {
    using T = sycl::detail::pointee<Ptr>;
    sycl::detail::sort_memory(g, first, static_cast<std::size_t>(last - first),
                              sycl::detail::scratch_for<T>(scratch_), less_);
  }
  // The second version of the extension takes no device.
  template <class T>
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return sycl::detail::scratch_bytes<T>(range_size);
  }
  template <class T>
  static constexpr std::size_t memory_required(const device &, memory_scope scope,
                                               std::size_t range_size) {
    return memory_required<T>(scope, range_size);
  }

private:
  sycl::detail::scratch_span<Compare> scratch_;
  Compare less_;
};

template <class T, class Compare = std::less<>, std::size_t ElementsPerWorkItem = 1>
class group_sorter {
public:
  template <std::size_t Extent>
  group_sorter(span<std::byte, Extent> scratch, Compare comp = {})
      : scratch_(scratch), less_(comp) {}
  template <class Group> T operator()(Group g, T value) {
    sycl::detail::sort_values<1, properties<>>(g, &value, static_cast<T *>(nullptr), scratch_,
                                               less_);
    return value;
  }
  template <class Group, class Properties>
  void operator()(Group g, span<T, ElementsPerWorkItem> values, Properties) {
    sycl::detail::sort_values<ElementsPerWorkItem, Properties>(
        g, values.data(), static_cast<T *>(nullptr), scratch_, less_);
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return sycl::detail::scratch_bytes<T>(range_size * ElementsPerWorkItem);
  }
  static constexpr std::size_t memory_required(const device &, memory_scope scope,
                                               std::size_t range_size) {
    return memory_required(scope, range_size);
  }

private:
  sycl::detail::scratch_span<Compare> scratch_;
  Compare less_;
};

template <class T, class U, class Compare = std::less<>, std::size_t ElementsPerWorkItem = 1>
class group_key_value_sorter {
public:
  template <std::size_t Extent>
  group_key_value_sorter(span<std::byte, Extent> scratch, Compare comp = {})
      : scratch_(scratch), less_(comp) {}
  template <class Group> std::tuple<T, U> operator()(Group g, T key, U value) {
    sycl::detail::sort_values<1, properties<>>(g, &key, &value, scratch_, less_);
    return {key, value};
  }
  template <class Group, class Properties>
  void operator()(Group g, span<T, ElementsPerWorkItem> keys, span<U, ElementsPerWorkItem> values,
                  Properties) {
    sycl::detail::sort_values<ElementsPerWorkItem, Properties>(g, keys.data(), values.data(),
                                                               scratch_, less_);
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    const std::size_t keys = sycl::detail::scratch_bytes<T>(range_size * ElementsPerWorkItem),
                      values = sycl::detail::scratch_bytes<U>(range_size * ElementsPerWorkItem);
    return keys < values ? values : keys;
  }
  static constexpr std::size_t memory_required(const device &, memory_scope scope,
                                               std::size_t range_size) {
    return memory_required(scope, range_size);
  }

private:
  sycl::detail::scratch_span<Compare> scratch_;
  Compare less_;
};

} // namespace default_sorters

// The order of a radix sort over the bits of `mask`. The number of bits per pass does not affect
// the order.
namespace radix_sorters {

#define SCYTHE_RADIX_MASK const std::bitset<sizeof(T) * 8> mask = std::bitset<sizeof(T) * 8>(~0ULL)
#define SCYTHE_RADIX_LESS                                                                          \
  {static_cast<typename sycl::detail::radix_less<T, Order>::bits>(mask.to_ullong())}

template <class T, sorting_order Order = sorting_order::ascending, unsigned BitsPerPass = 4>
class joint_sorter : public default_sorters::joint_sorter<sycl::detail::radix_less<T, Order>> {
public:
  template <std::size_t Extent>
  joint_sorter(span<std::byte, Extent> scratch, SCYTHE_RADIX_MASK)
      : default_sorters::joint_sorter<sycl::detail::radix_less<T, Order>>(scratch,
                                                                          SCYTHE_RADIX_LESS) {}
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return sycl::detail::scratch_bytes<T>(range_size);
  }
};

template <class T, sorting_order Order = sorting_order::ascending,
          std::size_t ElementsPerWorkItem = 1, unsigned BitsPerPass = 4>
class group_sorter : public default_sorters::group_sorter<T, sycl::detail::radix_less<T, Order>,
                                                          ElementsPerWorkItem> {
public:
  template <std::size_t Extent>
  group_sorter(span<std::byte, Extent> scratch, SCYTHE_RADIX_MASK)
      : default_sorters::group_sorter<T, sycl::detail::radix_less<T, Order>, ElementsPerWorkItem>(
            scratch, SCYTHE_RADIX_LESS) {}
};

template <class T, class U, sorting_order Order = sorting_order::ascending,
          std::size_t ElementsPerWorkItem = 1, unsigned BitsPerPass = 4>
class group_key_value_sorter
    : public default_sorters::group_key_value_sorter<T, U, sycl::detail::radix_less<T, Order>,
                                                     ElementsPerWorkItem> {
  using base = default_sorters::group_key_value_sorter<T, U, sycl::detail::radix_less<T, Order>,
                                                       ElementsPerWorkItem>;

public:
  template <std::size_t Extent>
  group_key_value_sorter(span<std::byte, Extent> scratch, SCYTHE_RADIX_MASK)
      : base(scratch, SCYTHE_RADIX_LESS) {}
};

#undef SCYTHE_RADIX_LESS
#undef SCYTHE_RADIX_MASK

} // namespace radix_sorters

} // namespace ext::oneapi::experimental
} // namespace sycl

#endif
