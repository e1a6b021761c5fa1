// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_CONTEXT_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_CONTEXT_HPP

#include <sycl/context.hpp>
#include <sycl/version.hpp>

#endif
