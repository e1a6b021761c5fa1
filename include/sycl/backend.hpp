// The backends that a platform can stand on, and what programs know of their own objects. OpenCL's
// are in `sycl/detail/opencl_interop.hpp`, which `sycl/sycl.hpp` brings; other backends' in headers
// of `sycl/backend`.
#ifndef SCYTHE_BACKEND_HPP
#define SCYTHE_BACKEND_HPP

#include <cstdint>
#include <type_traits>

namespace sycl {

// The numbers of `scythe_backend_kind`.
enum class backend : unsigned {
  host = 0,
  scythe_cpu = 1,
  opencl = 2,
  ext_oneapi_cuda = 3,
};

template <backend Backend> struct backend_traits;
template <backend Backend, class T>
using backend_return_t = typename backend_traits<Backend>::template return_type<T>;
template <backend Backend, class T>
using backend_input_t = typename backend_traits<Backend>::template input_type<T>;

namespace detail {

// What OpenCL calls a SYCL class's objects.
template <class T> struct opencl_type;

// A driver's object as the C edge gives it: most are addresses, some numbers.
template <class T> T native_cast(void *native) {
  if constexpr (std::is_pointer_v<T>)
    return static_cast<T>(native);
  else
    return static_cast<T>(reinterpret_cast<std::uintptr_t>(native));
}

} // namespace detail

} // namespace sycl

#endif
