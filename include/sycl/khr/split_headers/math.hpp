// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_MATH_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_MATH_HPP

#include <sycl/builtins.hpp>
#include <sycl/version.hpp>

#endif
