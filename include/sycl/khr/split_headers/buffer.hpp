// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_BUFFER_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_BUFFER_HPP

#include <sycl/buffer.hpp>
#include <sycl/version.hpp>

#endif
