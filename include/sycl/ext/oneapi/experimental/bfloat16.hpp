// DPC++'s name of <sycl/ext/oneapi/bfloat16.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_BFLOAT16_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_BFLOAT16_HPP

#include <sycl/ext/oneapi/bfloat16.hpp>

#endif
