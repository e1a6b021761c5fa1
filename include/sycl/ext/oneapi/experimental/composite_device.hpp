// Devices that consist of several devices (`sycl_ext_oneapi_composite_device`). No backend has
// composite devices: the lists are empty, and no device has the aspects.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COMPOSITE_DEVICE_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COMPOSITE_DEVICE_HPP

#include <sycl/platform.hpp>

namespace sycl::ext::oneapi::experimental {

template <class List = std::vector<device>> List get_composite_devices() { return {}; }

namespace info::device {
struct component_devices {
  template <class Device> static std::vector<Device> scythe_query(const Device &) { return {}; }
  using return_type = std::vector<sycl::device>;
};
struct composite_device {
  using return_type = sycl::device;
  static constexpr const char *scythe_aspect = "ext_oneapi_is_component";
};
} // namespace info::device

} // namespace sycl::ext::oneapi::experimental

#endif
