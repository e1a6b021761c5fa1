// Casts between address spaces (`sycl_ext_oneapi_address_cast`), the earlier names of
// `sycl_khr_static_addrspace_cast` and `sycl_khr_dynamic_addrspace_cast`.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ADDRESS_CAST_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ADDRESS_CAST_HPP

#include <sycl/khr/dynamic_addrspace_cast.hpp>
#include <sycl/khr/static_addrspace_cast.hpp>

namespace sycl::ext::oneapi::experimental {

inline constexpr auto global_space = access::address_space::global_space;
inline constexpr auto local_space = access::address_space::local_space;
inline constexpr auto private_space = access::address_space::private_space;
inline constexpr auto generic_space = access::address_space::generic_space;

template <access::address_space Space, class P> auto static_address_cast(P p) {
  return khr::static_addrspace_cast<Space>(p);
}
template <access::address_space Space, class P> auto dynamic_address_cast(P p) {
  return khr::dynamic_addrspace_cast<Space>(p);
}

} // namespace sycl::ext::oneapi::experimental

#endif
