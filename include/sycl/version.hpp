// Feature-test macros of the SYCL 2020 specification. Define only the features that are
// implemented.
#ifndef SCYTHE_VERSION_HPP
#define SCYTHE_VERSION_HPP

#define SYCL_IMPLEMENTATION_SCYTHE 1
#define SCYTHE_VERSION_MAJOR 0
#define SCYTHE_VERSION_MINOR 1

// clang defines this macro in its SYCL modes. Host mode and separate host compilers need this
// definition.
#ifndef SYCL_LANGUAGE_VERSION
#define SYCL_LANGUAGE_VERSION 202012L
#endif

#define SYCL_DEVICE_COPYABLE 1

#include <sycl/feature_test.hpp>

#endif
