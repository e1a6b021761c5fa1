// DPC++'s name of <sycl/info.hpp>, <sycl/kernel.hpp>.
#ifndef SCYTHE_INFO_INFO_DESC_HPP
#define SCYTHE_INFO_INFO_DESC_HPP

#include <sycl/info.hpp>
#include <sycl/kernel.hpp>

#endif
