// A header of `sycl_khr_split_headers`.
#ifndef SCYTHE_KHR_SPLIT_HEADERS_IMAGE_HPP
#define SCYTHE_KHR_SPLIT_HEADERS_IMAGE_HPP

#include <sycl/image.hpp>
#include <sycl/image_accessor.hpp>
#include <sycl/sampler.hpp>
#include <sycl/version.hpp>

#endif
