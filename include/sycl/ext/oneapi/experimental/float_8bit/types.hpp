// DPC++'s name of <sycl/ext/oneapi/experimental/float_8bit.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FLOAT_8BIT_TYPES_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FLOAT_8BIT_TYPES_HPP

#include <sycl/ext/oneapi/experimental/float_8bit.hpp>

#endif
