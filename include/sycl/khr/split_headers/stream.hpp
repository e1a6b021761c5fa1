// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_STREAM_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_STREAM_HPP

#include <sycl/stream.hpp>
#include <sycl/version.hpp>

#endif
