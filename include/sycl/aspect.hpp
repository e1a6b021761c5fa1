// Aspects, with the numbers that device images carry, and what is known of them when a program is compiled.
#ifndef SCYTHE_ASPECT_HPP
#define SCYTHE_ASPECT_HPP

#include <cstdint>
#include <type_traits>

namespace sycl {

enum class aspect : std::uint32_t {
#define SCYTHE_ASPECT(name, number) name = number,
#include <sycl/detail/aspects.def>
};

namespace detail {

// The text of a macro is "1" where the compiler defined it as 1, and the macro's own name where nobody defined it. So
// there need not be a default for each macro of each aspect, and the first character tells.
#define SCYTHE_TEXT_OF(expanded) #expanded
#define SCYTHE_TEXT(macro) SCYTHE_TEXT_OF(macro)

// True where the targets of this compilation include one that may have aspects which nobody listed, such as the generic
// target.
inline constexpr bool any_device_has_any_aspect = *SCYTHE_TEXT(__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__) == '1';

constexpr bool target_has(aspect asked) {
  switch (asked) {
#define SCYTHE_ASPECT(name, number)                                                                                    \
  case aspect::name:                                                                                                   \
    return *SCYTHE_TEXT(__SYCL_ANY_DEVICE_HAS_##name##__) == '1';
#include <sycl/detail/aspects.def>
  }
  return false;
}

constexpr bool targets_have(aspect asked) {
  switch (asked) {
#define SCYTHE_ASPECT(name, number)                                                                                    \
  case aspect::name:                                                                                                   \
    return *SCYTHE_TEXT(__SYCL_ALL_DEVICES_HAVE_##name##__) == '1';
#include <sycl/detail/aspects.def>
  }
  return false;
}

#undef SCYTHE_TEXT
#undef SCYTHE_TEXT_OF

} // namespace detail

// Whether a device that this program is compiled for may have the aspect.
template <aspect Aspect>
struct any_device_has : std::bool_constant<detail::any_device_has_any_aspect || detail::target_has(Aspect)> {};

// Whether every device that this program is compiled for has the aspect.
template <aspect Aspect> struct all_devices_have : std::bool_constant<detail::targets_have(Aspect)> {};

template <aspect Aspect> inline constexpr bool any_device_has_v = any_device_has<Aspect>::value;
template <aspect Aspect> inline constexpr bool all_devices_have_v = all_devices_have<Aspect>::value;

} // namespace sycl

#endif
