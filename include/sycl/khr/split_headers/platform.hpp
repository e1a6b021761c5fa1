// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_PLATFORM_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_PLATFORM_HPP

#include <sycl/platform.hpp>
#include <sycl/version.hpp>

#endif
