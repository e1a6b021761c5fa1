// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_EVENT_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_EVENT_HPP

#include <sycl/event.hpp>
#include <sycl/version.hpp>

#endif
