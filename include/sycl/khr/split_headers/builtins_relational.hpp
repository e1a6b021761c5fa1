// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_BUILTINS_RELATIONAL_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_BUILTINS_RELATIONAL_HPP

#include <sycl/builtins.hpp>
#include <sycl/version.hpp>

#endif
