// DPC++'s name of <sycl/half.hpp>.
#ifndef SCYTHE_HALF_TYPE_HPP
#define SCYTHE_HALF_TYPE_HPP

#include <sycl/half.hpp>

#endif
