// DPC++'s name of <sycl/group_algorithms.hpp>.
#ifndef SCYTHE_GROUP_ALGORITHM_HPP
#define SCYTHE_GROUP_ALGORITHM_HPP

#include <sycl/group_algorithms.hpp>

#endif
