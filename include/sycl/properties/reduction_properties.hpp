// DPC++'s name of <sycl/reduction.hpp>.
#ifndef SCYTHE_PROPERTIES_REDUCTION_PROPERTIES_HPP
#define SCYTHE_PROPERTIES_REDUCTION_PROPERTIES_HPP

#include <sycl/reduction.hpp>

#endif
