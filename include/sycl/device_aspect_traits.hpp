// DPC++'s name of <sycl/aspect.hpp>.
#ifndef SCYTHE_DEVICE_ASPECT_TRAITS_HPP
#define SCYTHE_DEVICE_ASPECT_TRAITS_HPP

#include <sycl/aspect.hpp>

#endif
