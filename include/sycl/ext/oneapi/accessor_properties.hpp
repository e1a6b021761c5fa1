// Properties of kernel arguments: accessors and annotated arguments.
#ifndef SCYTHE_EXT_ONEAPI_ACCESSOR_PROPERTIES_HPP
#define SCYTHE_EXT_ONEAPI_ACCESSOR_PROPERTIES_HPP

#include <sycl/ext/oneapi/properties.hpp>

namespace sycl::ext::oneapi {

// No other object that the kernel uses refers to the same memory.
struct no_alias {
  static constexpr const char *meta_name = "sycl-no-alias";
  using value_t = property_value<no_alias>;
};
// The address is a multiple of this number of bytes.
struct alignment {
  static constexpr const char *meta_name = "sycl-alignment";
  template <int Bytes>
  using value_t = property_value<alignment, std::integral_constant<int, Bytes>>;
};

inline constexpr no_alias::value_t no_alias_v{};
template <int Bytes> inline constexpr alignment::value_t<Bytes> alignment_v{};

namespace experimental {
using alignment_key = oneapi::alignment;
using no_alias_key = oneapi::no_alias;
// The pointer and the others with this property refer to different memory.
using restrict_key = oneapi::no_alias;
inline constexpr restrict_key::value_t restrict {};
template <int Bytes> inline constexpr alignment_key::value_t<Bytes> alignment{};
inline constexpr no_alias_key::value_t no_alias{};
} // namespace experimental

} // namespace sycl::ext::oneapi

#endif
