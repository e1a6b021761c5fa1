// `raw_kernel_arg`: an argument of a native kernel as bytes (`sycl_ext_oneapi_raw_kernel_arg`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_RAW_KERNEL_ARG_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_RAW_KERNEL_ARG_HPP

#include <cstddef>

namespace sycl {
namespace detail {
class native_arguments;
}

namespace ext::oneapi {

// A view of the bytes, which `set_arg` copies.
class raw_kernel_arg {
public:
  raw_kernel_arg(const void *bytes, std::size_t count) : bytes_(bytes), count_(count) {}

private:
  friend class sycl::detail::native_arguments;
  const void *bytes_;
  std::size_t count_;
};

namespace experimental {
using oneapi::raw_kernel_arg;
}

} // namespace ext::oneapi
} // namespace sycl

#endif
