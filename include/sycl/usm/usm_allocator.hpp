// DPC++'s name of <sycl/usm.hpp>.
#ifndef SCYTHE_USM_USM_ALLOCATOR_HPP
#define SCYTHE_USM_USM_ALLOCATOR_HPP

#include <sycl/usm.hpp>

#endif
