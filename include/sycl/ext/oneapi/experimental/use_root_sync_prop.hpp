// DPC++'s name of <sycl/ext/oneapi/experimental/root_group.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_USE_ROOT_SYNC_PROP_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_USE_ROOT_SYNC_PROP_HPP

#include <sycl/ext/oneapi/experimental/root_group.hpp>

#endif
