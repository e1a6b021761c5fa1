// Properties of kernels: the sizes of work-groups and sub-groups, and the aspects that a kernel may
// use.
//
// A kernel has the properties of the list that is passed with it, and those that its function
// object declares with a static member `properties` or a member function `get(properties_tag)`. The
// entry point of the kernel carries them.
#ifndef SCYTHE_EXT_ONEAPI_KERNEL_PROPERTIES_HPP
#define SCYTHE_EXT_ONEAPI_KERNEL_PROPERTIES_HPP

#include <sycl/aspect.hpp>
#include <sycl/detail/free_function.hpp>
#include <sycl/ext/oneapi/properties.hpp>

#include <cstdint>

namespace sycl::detail {

// Numbers as the text "8,4", for properties with several values.
template <std::uint64_t... Numbers> struct numbers_text {
  static constexpr std::size_t room = 21 * sizeof...(Numbers) + 1;
  struct storage {
    char text[room] = {};
    constexpr storage() {
      std::size_t at = 0;
      (append(at, Numbers), ...);
    }
    constexpr void append(std::size_t &at, std::uint64_t number) {
      if (at)
        text[at++] = ',';
      std::uint64_t unit = 1;
      while (number / unit >= 10)
        unit *= 10;
      for (; unit; unit /= 10)
        text[at++] = static_cast<char>('0' + number / unit % 10);
    }
  };
  static constexpr storage kept{};
  static constexpr const char *value = kept.text;
};

template <std::uint64_t... Sizes>
inline constexpr bool are_sizes =
    sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 3 && ((Sizes > 0) && ...);

// Properties whose value is one to three sizes, the fastest dimension last.
template <class Key, std::size_t... Sizes> struct sizes_property {
  static_assert(are_sizes<Sizes...>, "this property takes one to three sizes greater than zero");
  using key_t = Key;
  static constexpr int dimensions = sizeof...(Sizes);
  static constexpr const char *meta_name = Key::meta_name;
  static constexpr const char *meta_value = numbers_text<Sizes...>::value;
  constexpr std::size_t operator[](int dimension) const {
    const std::size_t sizes[] = {Sizes...};
    return sizes[dimension];
  }
};

} // namespace sycl::detail

namespace sycl::ext::oneapi {

struct sub_group_size {
  static constexpr const char *meta_name = "sycl-sub-group-size";
  template <std::uint32_t Size>
  using value_t = property_value<sub_group_size, std::integral_constant<std::uint32_t, Size>>;
};
struct work_group_size {
  static constexpr const char *meta_name = "sycl-work-group-size";
  template <std::size_t... Sizes>
  using value_t = sycl::detail::sizes_property<work_group_size, Sizes...>;
};
struct work_group_size_hint {
  static constexpr const char *meta_name = "sycl-work-group-size-hint";
  template <std::size_t... Sizes>
  using value_t = sycl::detail::sizes_property<work_group_size_hint, Sizes...>;
};
struct device_has {
  template <aspect... Aspects> struct value_t {
    using key_t = device_has;
    static constexpr const char *meta_name = "sycl-device-has";
    static constexpr const char *meta_value =
        sycl::detail::numbers_text<static_cast<std::uint64_t>(Aspects)...>::value;
    static constexpr std::size_t size() { return sizeof...(Aspects); }
  };
};

template <std::uint32_t Size> inline constexpr sub_group_size::value_t<Size> sub_group_size_v{};
template <std::size_t... Sizes>
inline constexpr work_group_size::value_t<Sizes...> work_group_size_v{};
template <std::size_t... Sizes>
inline constexpr work_group_size_hint::value_t<Sizes...> work_group_size_hint_v{};
template <aspect... Aspects> inline constexpr device_has::value_t<Aspects...> device_has_v{};

namespace experimental {

// The argument of a `get` function that returns a kernel's properties.
struct properties_tag {};

using sub_group_size_key = oneapi::sub_group_size;
using work_group_size_key = oneapi::work_group_size;
using work_group_size_hint_key = oneapi::work_group_size_hint;
using device_has_key = oneapi::device_has;

// The work-groups of the kernel wait for each other. `root_group.hpp` describes the limit on their
// number.
struct use_root_sync_key {
  struct value_t {
    using key_t = use_root_sync_key;
  };
};
inline constexpr use_root_sync_key::value_t use_root_sync{};

template <std::uint32_t Size> inline constexpr sub_group_size_key::value_t<Size> sub_group_size{};
template <std::size_t... Sizes>
inline constexpr work_group_size_key::value_t<Sizes...> work_group_size{};
template <std::size_t... Sizes>
inline constexpr work_group_size_hint_key::value_t<Sizes...> work_group_size_hint{};
template <aspect... Aspects> inline constexpr device_has_key::value_t<Aspects...> device_has{};

} // namespace experimental
} // namespace sycl::ext::oneapi

namespace sycl::detail {

// The result type of `get(properties_tag)` of an object of type `K`, or void if there is no such
// function.
template <class K, class = void> struct got_properties {
  using type = void;
};
template <class K>
struct got_properties<
    K, std::void_t<decltype(std::declval<K>().get(ext::oneapi::experimental::properties_tag{}))>> {
  using type =
      std::decay_t<decltype(std::declval<K>().get(ext::oneapi::experimental::properties_tag{}))>;
};

// The properties that a function object declares with a member function `get`, which may be static,
// const or neither.
template <class K, class List = typename got_properties<K &>::type> struct properties_by_get {
  static_assert(is_properties<List>,
                "get(properties_tag) of a kernel's function object must return a property list");
  static_assert(std::is_same_v<typename got_properties<const K &>::type, List> ||
                    std::is_void_v<typename got_properties<const K &>::type>,
                "get(properties_tag) of a kernel's function object must return the same properties "
                "for const and non-const objects");
  using type = typename std::conditional_t<is_properties<List>, List,
                                           ext::oneapi::property_list<>>::scythe_pack;
};
template <class K> struct properties_by_get<K, void> {
  using type = properties_pack<>;
};

// The properties that a function object declares with a member `properties`.
template <class K, class = void> struct properties_by_member {
  using type = properties_pack<>;
};
template <class K>
struct properties_by_member<K, if_properties<std::decay_t<decltype(K::properties)>>> {
  using type = typename std::decay_t<decltype(K::properties)>::scythe_pack;
};

template <class K>
using own_properties = typename joined_packs<typename properties_by_get<K>::type,
                                             typename properties_by_member<K>::type>::type;

// Kernels of the headers name the program's function object that they call as `scythe_wrapped`.
// `scythe_properties` maps its properties to those of the wrapper.
template <class K, class = void> inline constexpr bool is_wrapper = false;
template <class K>
inline constexpr bool is_wrapper<K, std::void_t<typename K::scythe_wrapped>> = true;

// All properties of a kernel that was submitted with the list `L`.
template <class L, class K, bool = is_wrapper<K>> struct kernel_pack {
  using type = typename joined_packs<typename L::scythe_pack, own_properties<K>>::type;
};
template <class L, class K> struct kernel_pack<L, K, true> {
  using type = typename K::template scythe_properties<
      typename kernel_pack<L, typename K::scythe_wrapped>::type>;
};

// The properties of the entry point of a kernel that was submitted with the list `L`.
template <class L, class K>
using kernel_properties = typename compiler_properties<typename kernel_pack<L, K>::type>::type;

// The property of a pack with this key, or void.
template <class Key, class Pack> struct in_pack;
template <class Key, class... Ps>
struct in_pack<Key, properties_pack<Ps...>> : with_key<Key, Ps...> {};
template <class Key, class Pack> using property_in = typename in_pack<Key, Pack>::type;

// The pack without the properties of these keys.
template <class Pack, class... Keys> struct without;
template <class... Ps, class... Keys> struct without<properties_pack<Ps...>, Keys...> {
  using type = typename joined_all<
      typename pack_if<!is_one_of<typename Ps::key_t, Keys...>, Ps>::type...>::type;
};

} // namespace sycl::detail

#endif
