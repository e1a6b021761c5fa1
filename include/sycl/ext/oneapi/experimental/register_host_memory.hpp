// Memory of the program as USM of kind host (`sycl_ext_oneapi_register_host_memory`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_REGISTER_HOST_MEMORY_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_REGISTER_HOST_MEMORY_HPP

#include <sycl/context.hpp>
#include <sycl/detail/abi_memory.h>
#include <sycl/ext/oneapi/properties.hpp>

namespace sycl::ext::oneapi::experimental {

// Kernels do not write to the memory, which may be read-only.
struct read_only_key {
  using key_t = read_only_key;
  using value_t = read_only_key;
};
inline constexpr read_only_key::value_t read_only{};

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

template <class P> inline constexpr bool is_registration_property = false;
template <>
inline constexpr bool is_registration_property<ext::oneapi::experimental::read_only_key::value_t> =
    true;
template <class Pack> inline constexpr bool are_registration_properties = false;
template <class... Ps>
inline constexpr bool are_registration_properties<properties_pack<Ps...>> =
    (is_registration_property<Ps> && ... && true);

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

// `properties` is a property or a list.
template <class Properties = empty_properties_t>
void register_host_memory(void *ptr, std::size_t bytes, const context &c,
                          Properties properties = {}) {
  if constexpr (sycl::detail::is_registration_property<Properties>) {
    register_host_memory(ptr, bytes, c, experimental::properties{properties});
  } else {
    static_assert(sycl::detail::are_registration_properties<typename Properties::scythe_pack>,
                  "register_host_memory: read_only is the only property");
    sycl::detail::check(scythe_host_register(c.scythe_impl()->context.get(), ptr, bytes,
                                             Properties::template has_property<read_only_key>()));
  }
}
inline void unregister_host_memory(void *ptr, const context &c) {
  sycl::detail::check(scythe_host_unregister(c.scythe_impl()->context.get(), ptr));
}

} // namespace sycl::ext::oneapi::experimental

#endif
