// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_ATOMIC_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_ATOMIC_HPP

#include <sycl/atomic.hpp>
#include <sycl/atomic_ref.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/version.hpp>

#endif
