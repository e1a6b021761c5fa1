// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_GROUP_ALGORITHMS_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_GROUP_ALGORITHMS_HPP

#include <sycl/group_algorithms.hpp>
#include <sycl/version.hpp>

#endif
