// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_QUEUE_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_QUEUE_HPP

#include <sycl/queue.hpp>
#include <sycl/version.hpp>

#endif
