// DPC++'s name of <sycl/ext/oneapi/annotated.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ANNOTATED_ARG_ANNOTATED_ARG_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ANNOTATED_ARG_ANNOTATED_ARG_HPP

#include <sycl/ext/oneapi/annotated.hpp>

#endif
