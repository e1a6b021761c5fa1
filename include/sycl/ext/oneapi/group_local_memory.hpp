// DPC++'s name of <sycl/group_local_memory.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_GROUP_LOCAL_MEMORY_HPP
#define SCYTHE_EXT_ONEAPI_GROUP_LOCAL_MEMORY_HPP

#include <sycl/group_local_memory.hpp>

#endif
