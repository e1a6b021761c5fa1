// The number of registers of a work-group (`sycl_ext_codeplay_max_registers_per_work_group_query`),
// on NVIDIA GPUs.
#ifndef SCYTHE_EXT_CODEPLAY_EXPERIMENTAL_MAX_REGISTERS_QUERY_HPP
#define SCYTHE_EXT_CODEPLAY_EXPERIMENTAL_MAX_REGISTERS_QUERY_HPP

#include <sycl/info.hpp>

namespace sycl::ext::codeplay::experimental::info::device {

struct max_registers_per_work_group {
  using return_type = std::uint32_t;
  template <class Device> static return_type scythe_query(const Device &d) {
    using number = sycl::detail::u32_param<SCYTHE_DEVICE_MAX_REGISTERS_PER_GROUP>;
    const return_type registers = d.template get_info<number>();
    if (registers == 0)
      sycl::detail::fail(errc::feature_not_supported,
                         "sycl_ext_codeplay_max_registers_per_work_group_query: device '%s' does "
                         "not tell how many registers a work-group has",
                         d.template get_info<sycl::info::device::name>().c_str());
    return registers;
  }
};

} // namespace sycl::ext::codeplay::experimental::info::device

#endif
