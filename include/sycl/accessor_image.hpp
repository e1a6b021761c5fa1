// DPC++'s name of <sycl/detail/earlier_image.hpp>.
#ifndef SCYTHE_ACCESSOR_IMAGE_HPP
#define SCYTHE_ACCESSOR_IMAGE_HPP

#include <sycl/detail/earlier_image.hpp>

#endif
