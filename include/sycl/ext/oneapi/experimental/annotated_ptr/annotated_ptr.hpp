// DPC++'s name of <sycl/ext/oneapi/annotated.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ANNOTATED_PTR_ANNOTATED_PTR_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ANNOTATED_PTR_ANNOTATED_PTR_HPP

#include <sycl/ext/oneapi/annotated.hpp>

#endif
