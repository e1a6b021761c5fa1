// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_TYPE_TRAITS_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_TYPE_TRAITS_HPP

#include <sycl/aspect.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/functional.hpp>
#include <sycl/group.hpp>
#include <sycl/property_list.hpp>
#include <sycl/sub_group.hpp>
#include <sycl/version.hpp>

#endif
