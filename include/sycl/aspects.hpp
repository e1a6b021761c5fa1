// DPC++'s name of <sycl/aspect.hpp>.
#ifndef SCYTHE_ASPECTS_HPP
#define SCYTHE_ASPECTS_HPP

#include <sycl/aspect.hpp>

#endif
