// `printf` in kernels: `sycl::ext::oneapi::experimental::printf(format, …)` and `::printf`.
//
// The format is a string literal or another constant of the program. On OpenCL and NVIDIA devices,
// the arguments of `%s` must be constants as well. Arguments are passed as in C, except that a
// `float` is not converted to `double`, so that devices without `double` work. The compilation for
// a device converts it if the device expects a `double`.
#ifndef SCYTHE_EXT_ONEAPI_PRINTF_HPP
#define SCYTHE_EXT_ONEAPI_PRINTF_HPP

#include <sycl/detail/config.hpp>

#include <type_traits>

#ifdef SCYTHE_DEVICE_PASS
template <class Format, class... Args>
SCYTHE_DEVICE_LIBRARY extern int __spirv_ocl_printf(Format format, Args... args) noexcept;
#else
#include <cstdarg>
#include <cstdio>
#endif

namespace sycl::detail {
#ifdef SCYTHE_DEVICE_PASS
// Promotes integers to at least `int` and keeps their sign. Other values are unchanged.
template <class T> constexpr auto printed(T x) {
  if constexpr (std::is_integral_v<T> || (std::is_enum_v<T> && std::is_convertible_v<T, int>))
    return +x;
  else
    return x;
}
#else
// The compiler cannot see that the formats are literals and must not warn about it.
inline int print(const char *format, ...) {
  std::va_list list;
  va_start(list, format);
  const int result = std::vprintf(format, list);
  va_end(list);
  return result;
}
#endif
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class Char, class... Args> int printf(const Char *format, Args... args) {
#ifdef SCYTHE_DEVICE_PASS
  return __spirv_ocl_printf(format, sycl::detail::printed(args)...);
#else
  return sycl::detail::print(format, args...);
#endif
}

} // namespace sycl::ext::oneapi::experimental

#endif
