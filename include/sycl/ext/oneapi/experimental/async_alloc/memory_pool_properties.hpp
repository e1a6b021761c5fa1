// DPC++'s name of <sycl/ext/oneapi/experimental/async_alloc/memory_pool.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ASYNC_ALLOC_MEMORY_POOL_PROPERTIES_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ASYNC_ALLOC_MEMORY_POOL_PROPERTIES_HPP

#include <sycl/ext/oneapi/experimental/async_alloc/memory_pool.hpp>

#endif
