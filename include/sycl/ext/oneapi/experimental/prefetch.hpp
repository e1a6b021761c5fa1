// `prefetch` and `joint_prefetch` in kernels: hints that memory will be read soon
// (`sycl_ext_oneapi_prefetch`).
//
// All devices load into the cache that `multi_ptr::prefetch` uses. The cache levels and hints of
// the properties are accepted on all of them.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_PREFETCH_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_PREFETCH_HPP

#include <sycl/accessor.hpp>
#include <sycl/ext/oneapi/properties.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {
namespace ext::oneapi::experimental {

enum class cache_level { L1, L2, L3, L4 };
struct nontemporal;
struct prefetch_hint_key {
  template <cache_level Level, class Hint> struct value_t {
    using key_t = prefetch_hint_key;
  };
};
template <cache_level Level, class Hint>
inline constexpr prefetch_hint_key::value_t<Level, Hint> prefetch_hint{};
inline constexpr prefetch_hint_key::value_t<cache_level::L1, void> prefetch_hint_L1{};
inline constexpr prefetch_hint_key::value_t<cache_level::L2, void> prefetch_hint_L2{};
inline constexpr prefetch_hint_key::value_t<cache_level::L3, void> prefetch_hint_L3{};
inline constexpr prefetch_hint_key::value_t<cache_level::L4, void> prefetch_hint_L4{};
inline constexpr prefetch_hint_key::value_t<cache_level::L1, nontemporal> prefetch_hint_L1_nt{};
inline constexpr prefetch_hint_key::value_t<cache_level::L2, nontemporal> prefetch_hint_L2_nt{};
inline constexpr prefetch_hint_key::value_t<cache_level::L3, nontemporal> prefetch_hint_L3_nt{};
inline constexpr prefetch_hint_key::value_t<cache_level::L4, nontemporal> prefetch_hint_L4_nt{};

} // namespace ext::oneapi::experimental

namespace detail {
inline void prefetch_bytes(const void *p, std::size_t bytes) {
  multi_ptr<const char, access::address_space::global_space, access::decorated::no>(
      static_cast<const char *>(p))
      .prefetch(bytes);
}
// The size of an element, where a pointer to void counts bytes.
template <class T> struct prefetch_unit {
  static constexpr std::size_t bytes = sizeof(T);
};
template <> struct prefetch_unit<void> {
  static constexpr std::size_t bytes = 1;
};
template <> struct prefetch_unit<const void> : prefetch_unit<void> {};

template <class L> using if_list = std::enable_if_t<is_properties<std::decay_t<L>>, int>;
template <access::address_space S>
using if_global = std::enable_if_t<
    S == access::address_space::global_space || S == access::address_space::generic_space, int>;
template <int D, access_mode M>
using if_readable =
    std::enable_if_t<(D > 0) && (M == access_mode::read || M == access_mode::read_write), int>;
} // namespace detail

namespace ext::oneapi::experimental {

template <class T, class L = empty_properties_t, sycl::detail::if_list<L> = 0>
void prefetch(T *p, L = {}) {
  sycl::detail::prefetch_bytes(p, sycl::detail::prefetch_unit<T>::bytes);
}
template <class T, class L = empty_properties_t, sycl::detail::if_list<L> = 0>
void prefetch(T *p, std::size_t count, L = {}) {
  sycl::detail::prefetch_bytes(p, count * sycl::detail::prefetch_unit<T>::bytes);
}
template <class T, access::address_space S, access::decorated D, class L = empty_properties_t,
          sycl::detail::if_list<L> = 0, sycl::detail::if_global<S> = 0>
void prefetch(multi_ptr<T, S, D> p, L = {}) {
  sycl::detail::prefetch_bytes(p.get(), sycl::detail::prefetch_unit<T>::bytes);
}
template <class T, access::address_space S, access::decorated D, class L = empty_properties_t,
          sycl::detail::if_list<L> = 0, sycl::detail::if_global<S> = 0>
void prefetch(multi_ptr<T, S, D> p, std::size_t count, L = {}) {
  sycl::detail::prefetch_bytes(p.get(), count * sycl::detail::prefetch_unit<T>::bytes);
}
template <class T, int D, access_mode M, access::placeholder P, class A,
          class L = empty_properties_t, sycl::detail::if_list<L> = 0,
          sycl::detail::if_readable<D, M> = 0>
void prefetch(accessor<T, D, M, target::device, P, A> a, id<D> offset, L = {}) {
  sycl::detail::prefetch_bytes(__builtin_addressof(a[offset]), sizeof(T));
}
template <class T, int D, access_mode M, access::placeholder P, class A,
          class L = empty_properties_t, sycl::detail::if_list<L> = 0,
          sycl::detail::if_readable<D, M> = 0>
void prefetch(accessor<T, D, M, target::device, P, A> a, id<D> offset, std::size_t count, L = {}) {
  sycl::detail::prefetch_bytes(__builtin_addressof(a[offset]), count * sizeof(T));
}

// All work-items of the group prefetch the same memory. The repeated hints cost little, because the
// lines are then in the cache or on their way.
template <class Group, class T, class... Rest,
          class = std::enable_if_t<is_group_v<std::decay_t<Group>>>>
auto joint_prefetch(Group, T p, Rest... rest) -> decltype(prefetch(p, rest...)) {
  prefetch(p, rest...);
}

} // namespace ext::oneapi::experimental
} // namespace sycl

#endif
