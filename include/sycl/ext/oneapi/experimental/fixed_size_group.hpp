// DPC++'s name of <sycl/ext/oneapi/experimental/non_uniform_groups.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FIXED_SIZE_GROUP_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FIXED_SIZE_GROUP_HPP

#include <sycl/ext/oneapi/experimental/non_uniform_groups.hpp>

#endif
