// `printf`, and fast functions of reduced precision (`sycl_ext_oneapi_native_math`). These have the
// precision of `sycl::tanh`, and of `sycl::native::exp2` for float.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_BUILTINS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_BUILTINS_HPP

#include <sycl/builtins.hpp>
#include <sycl/ext/oneapi/printf.hpp>

namespace sycl::ext::oneapi::experimental::native {

template <class T> auto tanh(T x) { return sycl::tanh(x); }
template <class T> auto exp2(T x) {
  if constexpr (std::is_same_v<T, float>)
    return sycl::native::exp2(x);
  else
    return sycl::exp2(x);
}

} // namespace sycl::ext::oneapi::experimental::native

#endif
