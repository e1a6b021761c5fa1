// DPC++'s name of <sycl/ext/intel/device_info.hpp>.
#ifndef SCYTHE_EXT_INTEL_INFO_DEVICE_HPP
#define SCYTHE_EXT_INTEL_INFO_DEVICE_HPP

#include <sycl/ext/intel/device_info.hpp>

#endif
