// Aspects, with the numbers that device images contain, and the queries for aspects that are known
// at compile time.
#ifndef SCYTHE_ASPECT_HPP
#define SCYTHE_ASPECT_HPP

#include <cstdint>
#include <type_traits>

namespace sycl {

enum class aspect : std::uint32_t {
#define SCYTHE_ASPECT(name, number) name = number,
#include <sycl/detail/aspects.def>
  // Other names in later versions of extensions.
  ext_codeplay_cuda_cluster_group = ext_oneapi_cuda_cluster_group,
  ext_oneapi_fragment = ext_oneapi_ballot_group,
  ext_oneapi_chunk = ext_oneapi_fixed_size_group,
  ext_oneapi_tangle = ext_oneapi_tangle_group
};

namespace detail {

// The text of a macro is "1" if the compiler defined it as 1, and the macro's name if the macro is
// not defined. The first character therefore decides, and the macros of all aspects need no
// defaults.
#define SCYTHE_TEXT_OF(expanded) #expanded
#define SCYTHE_TEXT(macro) SCYTHE_TEXT_OF(macro)

// True if a target of this compilation may have aspects that are not listed, such as the generic
// target.
inline constexpr bool any_device_has_any_aspect =
    *SCYTHE_TEXT(__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__) == '1';

// One text for all aspects, such as "5=1;6=__SYCL_ANY_DEVICE_HAS_fp64__;". Every program compiles
// these definitions and few use them, so they must be cheap.
inline constexpr const char *target_aspects =
#define SCYTHE_ASPECT(name, number) #number "=" SCYTHE_TEXT(__SYCL_ANY_DEVICE_HAS_##name##__) ";"
#include <sycl/detail/aspects.def>
    ;
inline constexpr const char *all_targets_aspects =
#define SCYTHE_ASPECT(name, number) #number "=" SCYTHE_TEXT(__SYCL_ALL_DEVICES_HAVE_##name##__) ";"
#include <sycl/detail/aspects.def>
    ;

// Returns whether the macro of an aspect is 1.
constexpr bool holds_aspect(const char *text, aspect asked) {
  while (*text) {
    std::uint32_t number = 0;
    while (*text != '=')
      number = number * 10 + static_cast<std::uint32_t>(*text++ - '0');
    if (number == static_cast<std::uint32_t>(asked))
      return text[1] == '1';
    while (*text++ != ';') {
    }
  }
  return false;
}

#undef SCYTHE_TEXT
#undef SCYTHE_TEXT_OF

} // namespace detail

// Whether a device that this program is compiled for may have the aspect.
template <aspect Aspect>
struct any_device_has : std::bool_constant<detail::any_device_has_any_aspect ||
                                           detail::holds_aspect(detail::target_aspects, Aspect)> {};

// Whether every device that this program is compiled for has the aspect.
template <aspect Aspect>
struct all_devices_have
    : std::bool_constant<detail::holds_aspect(detail::all_targets_aspects, Aspect)> {};

template <aspect Aspect> inline constexpr bool any_device_has_v = any_device_has<Aspect>::value;
template <aspect Aspect> inline constexpr bool all_devices_have_v = all_devices_have<Aspect>::value;

} // namespace sycl

#endif
