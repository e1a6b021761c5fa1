// DPC++'s name of <sycl/ext/oneapi/weak_object.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_OWNER_LESS_HPP
#define SCYTHE_EXT_ONEAPI_OWNER_LESS_HPP

#include <sycl/ext/oneapi/weak_object.hpp>

#endif
