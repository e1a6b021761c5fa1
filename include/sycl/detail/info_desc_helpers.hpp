// DPC++'s header with the descriptors of queries.
#ifndef SCYTHE_DETAIL_INFO_DESC_HELPERS_HPP
#define SCYTHE_DETAIL_INFO_DESC_HELPERS_HPP

#include <sycl/detail/core.hpp>
#include <sycl/ext/oneapi/experimental/launch_queries.hpp>

#endif
