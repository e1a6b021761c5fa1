// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_HIERARCHICAL_PARALLELISM_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_HIERARCHICAL_PARALLELISM_HPP

#include <sycl/group.hpp>
#include <sycl/h_item.hpp>
#include <sycl/version.hpp>

#endif
