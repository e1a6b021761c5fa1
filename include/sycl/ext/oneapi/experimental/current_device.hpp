// The current device of a host thread (`sycl_ext_oneapi_current_device`). It is the device of the
// default selector until the thread sets another device.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_CURRENT_DEVICE_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_CURRENT_DEVICE_HPP

#include <sycl/device_selector.hpp>

namespace sycl::detail {
// Null until the thread sets a device.
inline thread_local scythe_device current_device = nullptr;
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental::this_thread {

inline device get_current_device() {
  if (!sycl::detail::current_device)
    sycl::detail::current_device = sycl::detail::access_handle::of(device());
  return sycl::detail::access_handle::make(sycl::detail::current_device);
}
inline void set_current_device(device d) {
  sycl::detail::current_device = sycl::detail::access_handle::of(d);
}

} // namespace sycl::ext::oneapi::experimental::this_thread

#endif
