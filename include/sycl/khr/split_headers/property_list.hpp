// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_PROPERTY_LIST_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_PROPERTY_LIST_HPP

#include <sycl/property_list.hpp>
#include <sycl/version.hpp>

#endif
