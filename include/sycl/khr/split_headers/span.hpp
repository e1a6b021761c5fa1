// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_SPAN_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_SPAN_HPP

#include <sycl/span.hpp>
#include <sycl/version.hpp>

#endif
