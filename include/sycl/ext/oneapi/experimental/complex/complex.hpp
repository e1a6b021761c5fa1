// `sycl::ext::oneapi::experimental::complex`: complex numbers of half, float and double on host and
// devices, and functions of complex numbers and of mathematical arrays of them
// (`sycl_ext_oneapi_complex`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COMPLEX_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_COMPLEX_HPP

#include <sycl/ext/oneapi/experimental/complex/detail/complex.hpp>
#include <sycl/ext/oneapi/experimental/complex/detail/complex_math.hpp>
#include <sycl/ext/oneapi/experimental/complex/detail/marray_math.hpp>

#endif
