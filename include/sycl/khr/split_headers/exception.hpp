// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_EXCEPTION_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_EXCEPTION_HPP

#include <sycl/exception.hpp>
#include <sycl/version.hpp>

#endif
