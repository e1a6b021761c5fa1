// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_ACCESSOR_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_ACCESSOR_HPP

#include <sycl/accessor.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/version.hpp>

#endif
