// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_BIT_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_BIT_HPP

#include <sycl/bit_cast.hpp>
#include <sycl/version.hpp>

#endif
