// Properties of reductions in a compile-time list (`sycl_ext_oneapi_reduction_properties`).
//
// All reductions combine in an order that depends only on the launch, so `deterministic` changes
// nothing.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_REDUCTION_PROPERTIES_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_REDUCTION_PROPERTIES_HPP

#include <sycl/ext/oneapi/properties.hpp>
#include <sycl/reduction.hpp>

namespace sycl {

namespace ext::oneapi::experimental {
struct deterministic_key {
  struct value_t {
    using key_t = deterministic_key;
  };
};
inline constexpr deterministic_key::value_t deterministic{};
struct initialize_to_identity_key {
  struct value_t {
    using key_t = initialize_to_identity_key;
  };
};
inline constexpr initialize_to_identity_key::value_t initialize_to_identity{};
} // namespace ext::oneapi::experimental

namespace detail {

template <class... Ps> constexpr bool only_reduction_properties(properties_pack<Ps...> *) {
  using namespace ext::oneapi::experimental;
  return (is_one_of<typename Ps::key_t, deterministic_key, initialize_to_identity_key> && ...);
}

// Returns the properties of SYCL 2020. `KnowsIdentity` says whether the reduction has an identity.
template <bool KnowsIdentity, class L> property_list reduction_properties() {
  static_assert(only_reduction_properties(static_cast<typename L::scythe_pack *>(nullptr)),
                "reduction: the property list may contain deterministic and "
                "initialize_to_identity only");
  if constexpr (L::template has_property<ext::oneapi::experimental::initialize_to_identity_key>()) {
    static_assert(KnowsIdentity, "reduction: initialize_to_identity requires an identity, but the "
                                 "operation has no known identity; pass one to sycl::reduction");
    return {property::reduction::initialize_to_identity()};
  } else {
    return {};
  }
}

} // namespace detail

template <class T, class A, class Op, class L, class = detail::if_properties<L>>
auto reduction(buffer<T, 1, A> vars, handler &h, Op combiner, L) {
  return reduction(vars, h, combiner,
                   detail::reduction_properties<has_known_identity_v<Op, T>, L>());
}
template <class T, class A, class Op, class L, class = detail::if_properties<L>>
auto reduction(buffer<T, 1, A> vars, handler &h, const T &identity, Op combiner, L) {
  return reduction(vars, h, identity, combiner, detail::reduction_properties<true, L>());
}
template <class T, class Op, class L, class = detail::if_properties<L>>
auto reduction(T *var, Op combiner, L) {
  return reduction(var, combiner, detail::reduction_properties<has_known_identity_v<Op, T>, L>());
}
template <class T, class Op, class L, class = detail::if_properties<L>>
auto reduction(T *var, const T &identity, Op combiner, L) {
  return reduction(var, identity, combiner, detail::reduction_properties<true, L>());
}
template <class T, std::size_t Extent, class Op, class L, class = detail::if_properties<L>>
auto reduction(span<T, Extent> vars, Op combiner, L) {
  return reduction(vars, combiner, detail::reduction_properties<has_known_identity_v<Op, T>, L>());
}
template <class T, std::size_t Extent, class Op, class L, class = detail::if_properties<L>>
auto reduction(span<T, Extent> vars, const T &identity, Op combiner, L) {
  return reduction(vars, identity, combiner, detail::reduction_properties<true, L>());
}

} // namespace sycl

#endif
