// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_INDEX_SPACE_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_INDEX_SPACE_HPP

#include <sycl/id.hpp>
#include <sycl/item.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/range.hpp>
#include <sycl/version.hpp>

#endif
