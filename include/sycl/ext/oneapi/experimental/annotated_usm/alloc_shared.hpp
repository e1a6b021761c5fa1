// DPC++'s name of <sycl/ext/oneapi/experimental/annotated_usm/alloc_base.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ANNOTATED_USM_ALLOC_SHARED_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ANNOTATED_USM_ALLOC_SHARED_HPP

#include <sycl/ext/oneapi/experimental/annotated_usm/alloc_base.hpp>

#endif
