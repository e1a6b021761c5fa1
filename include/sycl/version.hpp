// Feature-test macros of the SYCL 2020 specification. Only true claims stand here.
#ifndef SCYTHE_VERSION_HPP
#define SCYTHE_VERSION_HPP

#define SYCL_IMPLEMENTATION_SCYTHE 1
#define SCYTHE_VERSION_MAJOR 0
#define SCYTHE_VERSION_MINOR 1

// clang defines it in its SYCL modes; host mode and foreign host compilers need it from here.
#ifndef SYCL_LANGUAGE_VERSION
#define SYCL_LANGUAGE_VERSION 202012L
#endif

#define SYCL_DEVICE_COPYABLE 1

#endif
