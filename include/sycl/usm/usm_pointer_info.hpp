// DPC++'s name of <sycl/usm.hpp>.
#ifndef SCYTHE_USM_USM_POINTER_INFO_HPP
#define SCYTHE_USM_USM_POINTER_INFO_HPP

#include <sycl/usm.hpp>

#endif
