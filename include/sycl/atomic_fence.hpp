// DPC++'s name of <sycl/group_barrier.hpp>.
#ifndef SCYTHE_ATOMIC_FENCE_HPP
#define SCYTHE_ATOMIC_FENCE_HPP

#include <sycl/group_barrier.hpp>

#endif
