// DPC++'s name of <sycl/buffer.hpp>, <sycl/image.hpp>, <sycl/property_list.hpp>,
// <sycl/reduction.hpp>.
#ifndef SCYTHE_PROPERTIES_ALL_PROPERTIES_HPP
#define SCYTHE_PROPERTIES_ALL_PROPERTIES_HPP

#include <sycl/buffer.hpp>
#include <sycl/image.hpp>
#include <sycl/property_list.hpp>
#include <sycl/reduction.hpp>

#endif
