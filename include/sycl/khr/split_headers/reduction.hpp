// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_REDUCTION_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_REDUCTION_HPP

#include <sycl/functional.hpp>
#include <sycl/reduction.hpp>
#include <sycl/version.hpp>

#endif
