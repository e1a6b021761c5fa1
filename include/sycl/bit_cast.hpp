// `sycl::bit_cast`: reinterprets the bytes of an object as another type.
#ifndef SCYTHE_BIT_CAST_HPP
#define SCYTHE_BIT_CAST_HPP

#include <sycl/detail/config.hpp>

#include <type_traits>

namespace sycl {
namespace detail {

template <class To, class... From> struct bit_cast_function {
  template <class T,
            class = std::enable_if_t<sizeof(To) == sizeof(T) && __is_trivially_copyable(To) &&
                                     __is_trivially_copyable(T)>>
  constexpr To operator()(const T &from) const noexcept {
    return __builtin_bit_cast(To, from);
  }
};

// The type of the argument is specified: other types are converted to it.
template <class To, class From> struct bit_cast_function<To, From> {
  constexpr To operator()(const From &from) const noexcept { return bit_cast_function<To>()(from); }
};

} // namespace detail

// An object, which argument-dependent lookup does not find: in calls of another library's
// `bit_cast` without a namespace, the argument may have a type of SYCL, such as `half`.
template <class To, class... From>
inline constexpr detail::bit_cast_function<To, From...> bit_cast{};

} // namespace sycl

#endif
