// DPC++'s name of <sycl/queue.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_MEMCPY2D_HPP
#define SCYTHE_EXT_ONEAPI_MEMCPY2D_HPP

#include <sycl/queue.hpp>

#endif
