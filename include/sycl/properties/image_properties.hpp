// DPC++'s name of <sycl/image.hpp>.
#ifndef SCYTHE_PROPERTIES_IMAGE_PROPERTIES_HPP
#define SCYTHE_PROPERTIES_IMAGE_PROPERTIES_HPP

#include <sycl/image.hpp>

#endif
