// DPC++'s name of <sycl/ext/oneapi/experimental/launch_queries.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_KERNEL_QUEUE_INFO_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_KERNEL_QUEUE_INFO_HPP

#include <sycl/ext/oneapi/experimental/launch_queries.hpp>

#endif
