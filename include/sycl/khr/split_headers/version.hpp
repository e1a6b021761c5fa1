// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_VERSION_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_VERSION_HPP

#include <sycl/detail/config.hpp>
#include <sycl/version.hpp>

#endif
