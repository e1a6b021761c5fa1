// DPC++'s name of <sycl/ext/oneapi/bindless_images.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_BINDLESS_IMAGE_INFO_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_BINDLESS_IMAGE_INFO_HPP

#include <sycl/ext/oneapi/bindless_images.hpp>

#endif
