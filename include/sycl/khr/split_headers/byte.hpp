// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_BYTE_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_BYTE_HPP

#include <sycl/aliases.hpp>
#include <sycl/version.hpp>

#endif
