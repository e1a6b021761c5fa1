// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_HANDLER_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_HANDLER_HPP

#include <sycl/handler.hpp>
#include <sycl/version.hpp>

#endif
