// `sycl::device`, which is defined together with `sycl::platform`.
#ifndef SCYTHE_DEVICE_HPP
#define SCYTHE_DEVICE_HPP

#include <sycl/platform.hpp>

#endif
