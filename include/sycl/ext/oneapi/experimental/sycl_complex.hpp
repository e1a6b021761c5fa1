// The earlier name of the header of `sycl_ext_oneapi_complex`.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_SYCL_COMPLEX_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_SYCL_COMPLEX_HPP

#include <sycl/ext/oneapi/experimental/complex/complex.hpp>

#endif
