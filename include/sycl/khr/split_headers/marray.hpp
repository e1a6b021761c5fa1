// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_MARRAY_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_MARRAY_HPP

#include <sycl/aliases.hpp>
#include <sycl/marray.hpp>
#include <sycl/version.hpp>

#endif
