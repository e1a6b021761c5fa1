// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_MULTI_PTR_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_MULTI_PTR_HPP

#include <sycl/multi_ptr.hpp>
#include <sycl/version.hpp>

#endif
