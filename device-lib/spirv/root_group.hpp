// The barrier of the root group on OpenCL devices. Their launches with such a barrier have one
// work-group, which waits for no other one.
#ifndef SCYTHE_DEVICE_LIBRARY_SPIRV_ROOT_GROUP_HPP
#define SCYTHE_DEVICE_LIBRARY_SPIRV_ROOT_GROUP_HPP

#include "../cpu/device_library.hpp"

extern "C" SCYTHE_DEVICE void __scythe_root_group_wait() noexcept {}

#endif
