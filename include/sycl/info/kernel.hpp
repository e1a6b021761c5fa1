// DPC++'s name of <sycl/kernel.hpp>.
#ifndef SCYTHE_INFO_KERNEL_HPP
#define SCYTHE_INFO_KERNEL_HPP

#include <sycl/kernel.hpp>

#endif
