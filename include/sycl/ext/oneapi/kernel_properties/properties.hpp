// DPC++'s name of <sycl/ext/oneapi/kernel_properties.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_KERNEL_PROPERTIES_PROPERTIES_HPP
#define SCYTHE_EXT_ONEAPI_KERNEL_PROPERTIES_PROPERTIES_HPP

#include <sycl/ext/oneapi/kernel_properties.hpp>

#endif
