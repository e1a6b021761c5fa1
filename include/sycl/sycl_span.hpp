// DPC++'s name of <sycl/span.hpp>.
#ifndef SCYTHE_SYCL_SPAN_HPP
#define SCYTHE_SYCL_SPAN_HPP

#include <sycl/span.hpp>

#endif
