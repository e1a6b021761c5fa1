// DPC++'s name of <sycl/ext/oneapi/work_group_memory.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_WORK_GROUP_MEMORY_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_WORK_GROUP_MEMORY_HPP

#include <sycl/ext/oneapi/work_group_memory.hpp>

#endif
