// The backends of platforms, and the types of their native objects.
// `sycl/detail/opencl_interop.hpp` defines those of OpenCL, and `sycl/sycl.hpp` includes it. The
// headers in `sycl/backend` define those of other backends.
#ifndef SCYTHE_BACKEND_HPP
#define SCYTHE_BACKEND_HPP

#include <cstdint>
#include <iosfwd>
#include <type_traits>

namespace sycl {

// The values match `scythe_backend_kind`.
enum class backend : unsigned {
  host = 0,
  scythe_cpu = 1,
  opencl = 2,
  ext_oneapi_cuda = 3,
  // Backends of DPC++. No platform has them here.
  ext_oneapi_level_zero = 1000,
  ext_oneapi_hip,
  ext_oneapi_native_cpu,
  all,
};

// Prints the name of the enumerator, as programs for DPC++ do.
template <class Traits>
std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &out, backend b) {
  switch (b) {
  case backend::host:
    return out << "host";
  case backend::scythe_cpu:
    return out << "scythe_cpu";
  case backend::opencl:
    return out << "opencl";
  case backend::ext_oneapi_cuda:
    return out << "ext_oneapi_cuda";
  case backend::ext_oneapi_level_zero:
    return out << "ext_oneapi_level_zero";
  case backend::ext_oneapi_hip:
    return out << "ext_oneapi_hip";
  case backend::ext_oneapi_native_cpu:
    return out << "ext_oneapi_native_cpu";
  case backend::all:
    return out << "all";
  }
  return out << "unknown backend";
}

template <backend Backend> struct backend_traits;
template <backend Backend, class T>
using backend_return_t = typename backend_traits<Backend>::template return_type<T>;
template <backend Backend, class T>
using backend_input_t = typename backend_traits<Backend>::template input_type<T>;

namespace detail {

// The OpenCL type that corresponds to a SYCL class.
template <class T> struct opencl_type;

// Converts a native object from the C interface. Most are addresses, and some are numbers.
template <class T> T native_cast(void *native) {
  if constexpr (std::is_pointer_v<T>)
    return static_cast<T>(native);
  else
    return static_cast<T>(reinterpret_cast<std::uintptr_t>(native));
}

} // namespace detail

} // namespace sycl

#endif
