// Information about kernels.
#ifndef SYCLCOMPAT_KERNEL_HPP
#define SYCLCOMPAT_KERNEL_HPP

#include <syclcompat/device.hpp>

namespace syclcompat {

struct kernel_function_info {
  int max_work_group_size = 0;
};

// A function is known by its address only, so that the limit is that of the current device.
inline kernel_function_info get_kernel_function_info(const void *) {
  return {get_current_device().get_max_work_group_size()};
}
inline void get_kernel_function_info(kernel_function_info *info, const void *function) {
  *info = get_kernel_function_info(function);
}

} // namespace syclcompat

#endif
