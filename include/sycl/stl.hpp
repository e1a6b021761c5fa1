// DPC++'s name of <sycl/detail/standard_headers.hpp>.
#ifndef SCYTHE_STL_HPP
#define SCYTHE_STL_HPP

#include <sycl/detail/standard_headers.hpp>

#endif
