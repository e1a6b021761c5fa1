// DPC++'s name of <sycl/ext/oneapi/properties.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_PROPERTIES_PROPERTY_HPP
#define SCYTHE_EXT_ONEAPI_PROPERTIES_PROPERTY_HPP

#include <sycl/ext/oneapi/properties.hpp>

#endif
