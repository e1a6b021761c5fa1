// The number of compute units (`sycl_ext_oneapi_num_compute_units`). On every backend it is
// `max_compute_units`.
#ifndef SCYTHE_EXT_ONEAPI_INFO_DEVICE_HPP
#define SCYTHE_EXT_ONEAPI_INFO_DEVICE_HPP

#include <sycl/info.hpp>

namespace sycl::ext::oneapi::info::device {

struct num_compute_units {
  using return_type = std::size_t;
  template <class Device> static return_type scythe_query(const Device &d) {
    return d.template get_info<sycl::info::device::max_compute_units>();
  }
};

} // namespace sycl::ext::oneapi::info::device

#endif
