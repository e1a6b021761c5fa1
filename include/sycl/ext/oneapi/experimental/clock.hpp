// Clocks that kernels can read (`sycl_ext_oneapi_clock`).
//
// On the CPU device, all of them count nanoseconds. On NVIDIA GPUs, the clocks of groups count
// cycles of the multiprocessor, and that of the device counts nanoseconds.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_CLOCK_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_CLOCK_HPP

#include <sycl/aspect.hpp>
#include <sycl/detail/config.hpp>

#include <cstdint>

#ifdef SCYTHE_DEVICE_PASS
// Reads the clock of a scope, which has SPIR-V's number.
SCYTHE_DEVICE_LIBRARY extern "C" unsigned long __scythe_clock(unsigned scope) noexcept;
#else
#include <ctime>
#endif

namespace sycl::ext::oneapi::experimental {

enum class clock_scope : int { sub_group, work_group, device };

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

#ifdef SCYTHE_DEVICE_PASS
#define SCYTHE_CLOCK(scope, number)                                                                \
  SCYTHE_USES_ASPECTS(aspect::ext_oneapi_clock_##scope) inline std::uint64_t clock_##scope() {     \
    return __scythe_clock(number);                                                                 \
  }
#else
inline std::uint64_t host_clock() {
  std::timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}
#define SCYTHE_CLOCK(scope, number)                                                                \
  inline std::uint64_t clock_##scope() { return host_clock(); }
#endif
SCYTHE_CLOCK(sub_group, 3)
SCYTHE_CLOCK(work_group, 2)
SCYTHE_CLOCK(device, 1)
#undef SCYTHE_CLOCK

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <clock_scope Scope> std::uint64_t clock() {
  if constexpr (Scope == clock_scope::sub_group)
    return sycl::detail::clock_sub_group();
  else if constexpr (Scope == clock_scope::work_group)
    return sycl::detail::clock_work_group();
  else
    return sycl::detail::clock_device();
}

} // namespace sycl::ext::oneapi::experimental

#endif
