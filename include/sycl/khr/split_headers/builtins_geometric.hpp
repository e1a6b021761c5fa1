// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_BUILTINS_GEOMETRIC_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_BUILTINS_GEOMETRIC_HPP

#include <sycl/builtins.hpp>
#include <sycl/version.hpp>

#endif
