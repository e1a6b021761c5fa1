// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_HALF_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_HALF_HPP

#include <sycl/half.hpp>
#include <sycl/version.hpp>

#endif
