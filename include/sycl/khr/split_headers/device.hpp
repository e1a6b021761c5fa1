// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_DEVICE_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_DEVICE_HPP

#include <sycl/aspect.hpp>
#include <sycl/device.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/version.hpp>

#endif
