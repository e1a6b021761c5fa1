// `if_device_has` and `if_architecture_is`: code for some devices only, told apart when it is compiled for each.
//
// The driver runs one device pass per target and tells it the architecture; the functions of the other branches are
// never instantiated there, so what they use is not used. No kernel is compiled in a host pass, where every branch is
// left out; in host mode the last one, `else_device`, is taken.
#ifndef SCYTHE_EXT_ONEAPI_DEVICE_IF_HPP
#define SCYTHE_EXT_ONEAPI_DEVICE_IF_HPP

#include <sycl/detail/config.hpp>
#include <sycl/ext/oneapi/architecture.hpp>

#include <type_traits>

namespace sycl {
namespace detail {

// Templates, so that the assertions below wait for a use.
template <aspect... Aspects> constexpr bool allowable_aot_mode() {
#ifdef SCYTHE_DEVICE_PASS
  return compiled_for_known_architecture();
#else
  return true;
#endif
}
template <aspect... Aspects> constexpr bool aspects_valid() { return (is_architecture_aspect(Aspects) && ... && true); }
template <aspect... Aspects> constexpr bool device_has_all() { return (compiled_for(Aspects) && ... && true); }
template <ext::oneapi::experimental::architecture... Architectures> constexpr bool architecture_is_any() {
  return (compiled_for(aspect_of(Architectures)) || ... || false);
}

// What the else branches are called on. `Waiting` tells whether no earlier branch was taken.
template <bool Waiting> class if_device_has_helper {
public:
  template <aspect... Aspects, class F, class... Args>
  constexpr auto else_if_device_has([[maybe_unused]] F function, [[maybe_unused]] Args... args) {
    static_assert(aspects_valid<Aspects...>(), "Invalid aspect used in else_if_device_has.");
    if constexpr (Waiting && device_has_all<Aspects...>()) {
      function(args...);
      return if_device_has_helper<false>{};
    } else {
      return if_device_has_helper<Waiting>{};
    }
  }
  template <ext::oneapi::experimental::architecture... Architectures, class F, class... Args>
  constexpr auto else_if_architecture_is([[maybe_unused]] F function, [[maybe_unused]] Args... args) {
    if constexpr (Waiting && architecture_is_any<Architectures...>()) {
      function(args...);
      return if_device_has_helper<false>{};
    } else {
      return if_device_has_helper<Waiting>{};
    }
  }
  template <class F, class... Args>
  constexpr void else_device([[maybe_unused]] F function, [[maybe_unused]] Args... args) {
    if constexpr (Waiting)
      function(args...);
  }
  template <class F, class... Args> constexpr void otherwise(F function, Args... args) {
    else_device(function, args...);
  }
};

} // namespace detail

namespace ext::oneapi::experimental {

// Calls `function` with `args` where the device has all of the aspects, which are those of architectures.
template <aspect... Aspects, class F, class... Args>
constexpr auto if_device_has([[maybe_unused]] F function, [[maybe_unused]] Args... args) {
  static_assert(detail::allowable_aot_mode<Aspects...>(),
                "The if-device-has function may only be used when AOT compiling with "
                "'-fsycl-targets=spir64_x86_64' or '-fsycl-targets=intel_gpu_*'");
  static_assert(detail::aspects_valid<Aspects...>(), "Invalid aspect used in if_device_has.");
  if constexpr (detail::device_has_all<Aspects...>()) {
    function(args...);
    return detail::if_device_has_helper<false>{};
  } else {
    return detail::if_device_has_helper<true>{};
  }
}

// Calls `function` with `args` where the device is of one of the architectures.
template <architecture... Architectures, class F, class... Args>
constexpr auto if_architecture_is([[maybe_unused]] F function, [[maybe_unused]] Args... args) {
  static_assert(detail::allowable_aot_mode<detail::aspect_of(Architectures)...>(),
                "if_architecture_is may only be used when AOT compiling for devices with a known architecture, with "
                "'-fsycl-targets=spir64_x86_64', 'intel_gpu_*' or 'nvidia_gpu_*'");
  if constexpr (detail::architecture_is_any<Architectures...>()) {
    function(args...);
    return detail::if_device_has_helper<false>{};
  } else {
    return detail::if_device_has_helper<true>{};
  }
}

} // namespace ext::oneapi::experimental
} // namespace sycl

#endif
