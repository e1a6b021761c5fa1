// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_GROUPS_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_GROUPS_HPP

#include <sycl/group.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/sub_group.hpp>
#include <sycl/version.hpp>

#endif
