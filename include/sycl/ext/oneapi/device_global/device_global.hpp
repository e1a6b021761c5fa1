// DPC++'s name of <sycl/ext/oneapi/device_global.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_DEVICE_GLOBAL_DEVICE_GLOBAL_HPP
#define SCYTHE_EXT_ONEAPI_DEVICE_GLOBAL_DEVICE_GLOBAL_HPP

#include <sycl/ext/oneapi/device_global.hpp>

#endif
