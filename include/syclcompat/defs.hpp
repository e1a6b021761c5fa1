// Macros and names that translated programs use.
#ifndef SYCLCOMPAT_DEFS_HPP
#define SYCLCOMPAT_DEFS_HPP

#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <type_traits>

namespace syclcompat {

// Names for kernels.
template <class... Args> class sycl_compat_kernel_name;
template <int Arg> class sycl_compat_kernel_scalar;
template <class T> struct type_identity {
  using type = T;
};
template <class T> using type_identity_t = typename type_identity<T>::type;
// The type that is added to an object of type `T`.
template <class T> struct arith {
  using type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;
};
template <class T> using arith_t = typename arith<T>::type;

using byte_t = std::uint8_t;
using queue_ptr = sycl::queue *;
using event_ptr = sycl::event *;

enum error_code { SUCCESS = 0, BACKEND_ERROR = 1, DEFAULT_ERROR = 999 };

inline int get_sycl_language_version() {
#ifdef SYCL_LANGUAGE_VERSION
  return SYCL_LANGUAGE_VERSION;
#else
  return 202000;
#endif
}

} // namespace syclcompat

#define __sycl_compat_align__(n) __attribute__((aligned(n)))
#define __sycl_compat_inline__ __inline__ __attribute__((always_inline))
#define __sycl_compat_noinline__ __attribute__((noinline))

#define __syclcompat_align__(n) __sycl_compat_align__(n)
#define __syclcompat_inline__ __sycl_compat_inline__
#define __syclcompat_noinline__ __sycl_compat_noinline__

// Runs an expression and turns its exceptions into a code.
#define SYCLCOMPAT_CHECK_ERROR(...)                                                                \
  [&]() -> syclcompat::error_code {                                                                \
    try {                                                                                          \
      __VA_ARGS__;                                                                                 \
      return syclcompat::SUCCESS;                                                                  \
    } catch (const sycl::exception &e) {                                                           \
      std::cerr << e.what() << '\n';                                                               \
      return syclcompat::BACKEND_ERROR;                                                            \
    } catch (const std::runtime_error &e) {                                                        \
      std::cerr << e.what() << '\n';                                                               \
      return syclcompat::DEFAULT_ERROR;                                                            \
    }                                                                                              \
  }()

#endif
