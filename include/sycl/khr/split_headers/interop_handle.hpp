// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_INTEROP_HANDLE_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_INTEROP_HANDLE_HPP

#include <sycl/interop_handle.hpp>
#include <sycl/version.hpp>

#endif
