// DPC++'s name of <sycl/info.hpp>.
#ifndef SCYTHE_INFO_PLATFORM_HPP
#define SCYTHE_INFO_PLATFORM_HPP

#include <sycl/info.hpp>

#endif
