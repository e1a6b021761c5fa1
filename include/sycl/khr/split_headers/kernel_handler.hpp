// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_KERNEL_HANDLER_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_KERNEL_HANDLER_HPP

#include <sycl/specialization_id.hpp>
#include <sycl/version.hpp>

#endif
