// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_KERNEL_BUNDLE_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_KERNEL_BUNDLE_HPP

#include <sycl/kernel.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/specialization_id.hpp>
#include <sycl/version.hpp>

#endif
