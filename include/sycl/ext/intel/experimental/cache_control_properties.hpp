// How loads and stores through an `annotated_ptr` use the caches: properties of the pointer
// (`sycl_ext_intel_cache_controls`). Device code carries them as annotations, and the compilers for
// all devices may ignore them.
#ifndef SCYTHE_EXT_INTEL_EXPERIMENTAL_CACHE_CONTROL_PROPERTIES_HPP
#define SCYTHE_EXT_INTEL_EXPERIMENTAL_CACHE_CONTROL_PROPERTIES_HPP

#include <sycl/ext/oneapi/annotated.hpp>
#include <sycl/ext/oneapi/experimental/prefetch.hpp>
#include <sycl/ext/oneapi/kernel_properties.hpp>

namespace sycl {
namespace ext::intel::experimental {

enum class cache_mode {
  uncached,
  cached,
  streaming,
  invalidate,
  constant,
  write_through,
  write_back
};
using cache_level = oneapi::experimental::cache_level;
template <cache_mode Mode, cache_level... Levels> struct cache_control {
  static constexpr cache_mode mode = Mode;
  static constexpr unsigned levels = ((1u << static_cast<unsigned>(Levels)) | ... | 0u);
  static constexpr bool repeats = __builtin_popcount(levels) != sizeof...(Levels);
};

} // namespace ext::intel::experimental

namespace detail {
// The value of a property: a mode and a set of levels for each control.
template <class Key, class... Cs> struct cache_controls {
  static_assert((Key::allows(Cs::mode) && ... && true),
                "cache_control: this property does not have this cache mode");
  static_assert((!Cs::repeats && ... && true), "cache_control: a cache level is repeated");
  static_assert(__builtin_popcount((Cs::levels | ... | 0u)) ==
                    (__builtin_popcount(Cs::levels) + ... + 0),
                "cache_control: two controls of a property have the same cache level");
  using key_t = Key;
  static constexpr const char *meta_name = Key::meta_name;
  static constexpr const char *meta_value =
      numbers_text<((static_cast<std::uint64_t>(Cs::mode) << 8) | Cs::levels)...>::value;
};
} // namespace detail

namespace ext::intel::experimental {

struct read_hint_key {
  static constexpr const char *meta_name = "sycl-cache-read-hint";
  static constexpr bool allows(cache_mode m) { return m <= cache_mode::streaming; }
  template <class... Cs> using value_t = sycl::detail::cache_controls<read_hint_key, Cs...>;
};
struct read_assertion_key {
  static constexpr const char *meta_name = "sycl-cache-read-assertion";
  static constexpr bool allows(cache_mode m) {
    return m == cache_mode::invalidate || m == cache_mode::constant;
  }
  template <class... Cs> using value_t = sycl::detail::cache_controls<read_assertion_key, Cs...>;
};
struct write_hint_key {
  static constexpr const char *meta_name = "sycl-cache-write-hint";
  static constexpr bool allows(cache_mode m) {
    return m == cache_mode::uncached || m == cache_mode::streaming ||
           m >= cache_mode::write_through;
  }
  template <class... Cs> using value_t = sycl::detail::cache_controls<write_hint_key, Cs...>;
};
template <class... Cs> inline constexpr read_hint_key::value_t<Cs...> read_hint{};
template <class... Cs> inline constexpr read_assertion_key::value_t<Cs...> read_assertion{};
template <class... Cs> inline constexpr write_hint_key::value_t<Cs...> write_hint{};

} // namespace ext::intel::experimental
} // namespace sycl

#endif
