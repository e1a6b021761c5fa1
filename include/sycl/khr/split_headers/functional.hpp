// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_FUNCTIONAL_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_FUNCTIONAL_HPP

#include <sycl/functional.hpp>
#include <sycl/version.hpp>

#endif
