// `cache_config`: the preferred division of memory between local memory and cache, as a property of
// a launch (`sycl_ext_intel_cache_config`). All devices accept it. Their drivers choose the
// division by the local memory of the kernel.
#ifndef SCYTHE_EXT_INTEL_EXPERIMENTAL_KERNEL_EXECUTION_PROPERTIES_HPP
#define SCYTHE_EXT_INTEL_EXPERIMENTAL_KERNEL_EXECUTION_PROPERTIES_HPP

namespace sycl::ext::intel::experimental {

enum class cache_config_enum { large_slm, large_data };
inline constexpr cache_config_enum large_slm = cache_config_enum::large_slm;
inline constexpr cache_config_enum large_data = cache_config_enum::large_data;

struct cache_config {
  using key_t = cache_config;
  constexpr cache_config(cache_config_enum v) : value(v) {}
  cache_config_enum value;
};
using cache_config_key = cache_config;

} // namespace sycl::ext::intel::experimental

#endif
