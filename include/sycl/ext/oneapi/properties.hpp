// Compile-time property lists.
//
// A property is any class with a type `key_t`, which identifies it. The properties of a list have
// different keys. If a property has the static constants `meta_name` and `meta_value`, the compiler
// writes them to device code. The compiler has no list of properties: a program adds one by
// declaring such a class. Other properties are plain values. Lists are sorted by the names of their
// keys, so that the order of the properties does not affect the type.
//
// `experimental::properties` is the current spelling, and `oneapi::property_list` is the older one.
// Both work everywhere.
#ifndef SCYTHE_EXT_ONEAPI_PROPERTIES_HPP
#define SCYTHE_EXT_ONEAPI_PROPERTIES_HPP

#include <sycl/detail/config.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sycl::detail {

template <class P, class = void> inline constexpr bool is_static_property = false;
template <class P>
inline constexpr bool is_static_property<P, std::void_t<typename P::key_t>> = true;

template <class P, class = void> inline constexpr bool has_meta_name = false;
template <class P>
inline constexpr bool
    has_meta_name<P, std::void_t<decltype(P::meta_name), decltype(P::meta_value)>> = true;

// The compiler's spelling of a type, by which keys are ordered. Compilers add different text around
// the name, but the same text for all keys.
template <class Key> constexpr const char *key_text() { return __PRETTY_FUNCTION__; }

constexpr bool text_less(const char *a, const char *b) {
  for (; *a && *a == *b; ++a, ++b)
    ;
  return static_cast<unsigned char>(*a) < static_cast<unsigned char>(*b);
}

template <class A, class B>
inline constexpr bool same_key = std::is_same_v<typename A::key_t, typename B::key_t>;

template <class P, class... Ps>
inline constexpr std::size_t key_count = (std::size_t(same_key<P, Ps>) + ... + 0);

// The number of properties before `P` in the sorted list.
template <class P, class... Ps>
inline constexpr std::size_t rank =
    (std::size_t(text_less(key_text<typename Ps::key_t>(), key_text<typename P::key_t>())) + ... +
     0);

template <class... Ps> struct properties_pack {};

template <std::size_t I, class P> struct ranked {};
template <class... R> struct ranked_set : R... {};
template <std::size_t I, class P> P at_rank(ranked<I, P> *);

template <class... Ps>
inline constexpr bool different_keys = ((key_count<Ps, Ps...> == 1) && ... && true);

template <bool Different, class... Ps> struct sorted_if {
  // The users of the list report what is wrong with it.
  using type = properties_pack<Ps...>;
};
template <class... Ps> struct sorted_if<true, Ps...> {
  template <class Indices> struct in_order;
  template <std::size_t... I> struct in_order<std::index_sequence<I...>> {
    using set = ranked_set<ranked<rank<Ps, Ps...>, Ps>...>;
    using type = properties_pack<decltype(at_rank<I>(static_cast<set *>(nullptr)))...>;
  };
  using type = typename in_order<std::make_index_sequence<sizeof...(Ps)>>::type;
};
template <class... Ps> struct sorted_properties : sorted_if<different_keys<Ps...>, Ps...> {
  static_assert(
      (is_static_property<Ps> && ... && true),
      "every element of a property list must be a property: a class with a member type key_t");
};

template <class... Ps> using sorted_pack = typename sorted_properties<Ps...>::type;

template <std::size_t I, class Pack> struct pack_element;
template <std::size_t I, class... Ps> struct pack_element<I, properties_pack<Ps...>> {
  using type = std::tuple_element_t<I, std::tuple<Ps...>>;
};
template <std::size_t I, class... Ps>
using sorted_at = typename pack_element<I, sorted_pack<Ps...>>::type;
// The index of `P` in `Ps`. A list that is deduced from its properties uses it to find their
// positions.
template <class P, class... Ps> constexpr std::size_t find_position() {
  const bool same[] = {std::is_same_v<P, Ps>...};
  std::size_t at = 0;
  while (!same[at])
    ++at;
  return at;
}
template <class P, class... Ps> inline constexpr std::size_t position = find_position<P, Ps...>();

// The property of `Ps` with this key, or void.
template <class Key, class... Ps> struct with_key {
  using type = void;
};
template <class Key, class P, class... Ps> struct with_key<Key, P, Ps...> {
  using type = std::conditional_t<std::is_same_v<Key, typename P::key_t>, P,
                                  typename with_key<Key, Ps...>::type>;
};

// The common base of both spellings of a list. Properties without values take no space.
template <bool Different, class... Ps> class property_values_if : private Ps... {
public:
  static_assert(std::is_same_v<properties_pack<Ps...>, sorted_pack<Ps...>>,
                "the properties of a property list must be sorted; write property_list_t<...> or "
                "decltype(properties{...})");
  using scythe_pack = properties_pack<Ps...>;

  constexpr property_values_if() = default;
  // `given` contains the same properties, possibly in another order.
  template <class... Given>
  constexpr explicit property_values_if(const std::tuple<Given...> &given)
      : Ps(std::get<Ps>(given))... {}

  template <class Key> static constexpr bool has_property() {
    return !std::is_void_v<typename with_key<Key, Ps...>::type>;
  }
  template <class Key> constexpr auto get_property() const {
    using found = typename with_key<Key, Ps...>::type;
    static_assert(!std::is_void_v<found>,
                  "get_property: the property list has no property with this key");
    return static_cast<const found &>(*this);
  }
};
template <class... Ps> class property_values_if<false, Ps...> {
public:
  static_assert(different_keys<Ps...>, "a property list must not contain the same property twice");
  using scythe_pack = properties_pack<Ps...>;
  constexpr property_values_if() = default;
  template <class... Given> constexpr explicit property_values_if(const std::tuple<Given...> &) {}
};
template <class... Ps> using property_values = property_values_if<different_keys<Ps...>, Ps...>;

template <class L, class = void> inline constexpr bool is_properties = false;
template <class L>
inline constexpr bool is_properties<L, std::void_t<typename L::scythe_pack>> = true;
template <class L> using if_properties = std::enable_if_t<is_properties<L>>;

template <template <class...> class To, class Pack> struct repack;
template <template <class...> class To, class... Ps> struct repack<To, properties_pack<Ps...>> {
  using type = To<Ps...>;
};

// Concatenates packs.
template <class... Packs> struct joined_all {
  using type = properties_pack<>;
};
template <class... A> struct joined_all<properties_pack<A...>> {
  using type = properties_pack<A...>;
};
template <class... A, class... B, class... Rest>
struct joined_all<properties_pack<A...>, properties_pack<B...>, Rest...> {
  using type = typename joined_all<properties_pack<A..., B...>, Rest...>::type;
};
// The pack of `P` if `Keep` is true, otherwise an empty pack.
template <bool Keep, class P> struct pack_if {
  using type = properties_pack<P>;
};
template <class P> struct pack_if<false, P> {
  using type = properties_pack<>;
};

// The properties of a pack that the compiler reads.
template <class Pack> struct compiler_properties;
template <class... Ps> struct compiler_properties<properties_pack<Ps...>> {
  using type = typename joined_all<typename pack_if<has_meta_name<Ps>, Ps>::type...>::type;
};

template <class P, class... Ps> inline constexpr bool is_one_of = (std::is_same_v<P, Ps> || ...);

// All properties of two packs, sorted. A property in both packs must have the same compile-time
// value.
template <class A, class B> struct joined_packs;
template <class... A, class... B>
struct joined_packs<properties_pack<A...>, properties_pack<B...>> {
  template <class P> static constexpr bool is_twice = std::is_empty_v<P> && is_one_of<P, A...>;
  template <class Rest> struct with;
  template <class... Rest> struct with<properties_pack<Rest...>> {
    static_assert(
        different_keys<A..., Rest...>,
        "the launch and the kernel's function object set the same property to different values");
    using type = sorted_pack<A..., Rest...>;
  };
  using type =
      typename with<typename joined_all<typename pack_if<!is_twice<B>, B>::type...>::type>::type;
};
template <class... A> struct joined_packs<properties_pack<A...>, properties_pack<>> {
  using type = properties_pack<A...>;
};
template <class... B> struct joined_packs<properties_pack<>, properties_pack<B...>> {
  using type = properties_pack<B...>;
};
template <> struct joined_packs<properties_pack<>, properties_pack<>> {
  using type = properties_pack<>;
};

} // namespace sycl::detail

namespace sycl::ext::oneapi {

template <class... Props> class property_list;
namespace experimental {
template <class... Props> class properties;
}

#define SCYTHE_PROPERTY_LIST(name)                                                                 \
  template <class... Props> class name : public sycl::detail::property_values<Props...> {          \
    using base = sycl::detail::property_values<Props...>;                                          \
                                                                                                   \
  public:                                                                                          \
    constexpr name() = default;                                                                    \
    template <class... Given, class = std::enable_if_t<                                            \
                                  (sycl::detail::is_static_property<Given> && ... && true) &&      \
                                  sizeof...(Given) == sizeof...(Props) && sizeof...(Given) != 0>>  \
    constexpr name(Given... given) : base(std::tuple<Given...>(given...)) {}                       \
  };                                                                                               \
  name() -> name<>;                                                                                \
  template <class... P>                                                                            \
  name(P...) -> name<sycl::detail::sorted_at<sycl::detail::position<P, P...>, P...>...>;

SCYTHE_PROPERTY_LIST(property_list)
namespace experimental {
SCYTHE_PROPERTY_LIST(properties)
}
#undef SCYTHE_PROPERTY_LIST

// The list of these properties, independent of their order.
template <class... Props>
using property_list_t =
    typename sycl::detail::repack<property_list, sycl::detail::sorted_pack<Props...>>::type;

// A property with the key `Key` and these values, which are types with a constant `value`. The
// compiler reads the key's `meta_name` and, here, no value or the single value. Keys with several
// values define their own value classes.
template <class Key, class... Values> struct property_value;
template <class Key> struct property_value<Key> {
  using key_t = Key;
  static constexpr const char *meta_name = Key::meta_name;
  static constexpr const char *meta_value = "";
};
template <class Key, class Value> struct property_value<Key, Value> {
  using key_t = Key;
  using value_t = Value;
  static constexpr auto value = Value::value;
  static constexpr const char *meta_name = Key::meta_name;
  static constexpr auto meta_value = Value::value;
};
template <class Key, class... A, class... B>
constexpr bool operator==(const property_value<Key, A...> &, const property_value<Key, B...> &) {
  return (std::is_same_v<A, B> && ... && true);
}
template <class Key, class... A, class... B>
constexpr bool operator!=(const property_value<Key, A...> &, const property_value<Key, B...> &) {
  return !(std::is_same_v<A, B> && ... && true);
}

template <class L> inline constexpr bool is_property_list_v = sycl::detail::is_properties<L>;
template <class P> inline constexpr bool is_property_value_v = sycl::detail::is_static_property<P>;

namespace experimental {
using oneapi::property_list;
using oneapi::property_list_t;
using oneapi::property_value;
template <class L> inline constexpr bool is_property_list_v = sycl::detail::is_properties<L>;
template <class P> inline constexpr bool is_property_value_v = sycl::detail::is_static_property<P>;
using empty_properties_t = properties<>;
template <class Key> struct is_property_key : std::false_type {};
} // namespace experimental

} // namespace sycl::ext::oneapi

namespace sycl::detail {

// The properties that the compiler reads, as a `property_list`, for both spellings.
template <class L>
using compiler_list =
    typename repack<ext::oneapi::property_list,
                    typename compiler_properties<typename L::scythe_pack>::type>::type;

} // namespace sycl::detail

// Decorates a class, function or member with the properties of a pack.
#ifdef SCYTHE_DEVICE_PASS
#define SCYTHE_PROPERTIES(kind, Props)                                                             \
  SCYTHE_ANNOTATE("__sycl_detail__::add_ir_" kind, Props::meta_name..., Props::meta_value...)
#else
#define SCYTHE_PROPERTIES(kind, Props)
#endif

#endif
