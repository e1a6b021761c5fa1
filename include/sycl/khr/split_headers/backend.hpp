// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_BACKEND_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_BACKEND_HPP

#include <sycl/backend.hpp>
#include <sycl/detail/opencl_interop.hpp>
#include <sycl/version.hpp>

#endif
