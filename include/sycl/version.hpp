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

// Extensions that are members of core classes. The headers of other extensions define their macros.
#define SYCL_KHR_DEFAULT_CONTEXT 1
#define SYCL_KHR_QUEUE_EMPTY_QUERY 1
#define SYCL_KHR_QUEUE_FLUSH 1
#define SYCL_EXT_ONEAPI_ASSERT 1
#define SYCL_EXT_ONEAPI_DEFAULT_CONTEXT 1
#define SYCL_EXT_ONEAPI_DEVICE_DEFAULT_CONTEXT 1
#define SYCL_EXT_ONEAPI_ENQUEUE_BARRIER 1
#define SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS 1
#define SYCL_EXT_ONEAPI_MEMCPY2D 1
#define SYCL_EXT_ONEAPI_QUEUE_EMPTY 1

#endif
