// DPC++'s name of <sycl/ext/oneapi/free_function_queries.hpp>.
#ifndef SCYTHE_KHR_WORK_ITEM_QUERIES_HPP
#define SCYTHE_KHR_WORK_ITEM_QUERIES_HPP

#include <sycl/ext/oneapi/free_function_queries.hpp>

#endif
