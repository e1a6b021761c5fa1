// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_USM_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_USM_HPP

#include <sycl/usm.hpp>
#include <sycl/version.hpp>

#endif
