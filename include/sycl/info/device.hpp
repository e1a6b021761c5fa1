// DPC++'s name of <sycl/info.hpp>.
#ifndef SCYTHE_INFO_DEVICE_HPP
#define SCYTHE_INFO_DEVICE_HPP

#include <sycl/info.hpp>

#endif
