// DPC++'s name of <sycl/ext/oneapi/architecture.hpp>, <sycl/ext/oneapi/device_if.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_DEVICE_ARCHITECTURE_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_DEVICE_ARCHITECTURE_HPP

#include <sycl/ext/oneapi/architecture.hpp>
#include <sycl/ext/oneapi/device_if.hpp>

#endif
