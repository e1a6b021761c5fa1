// DPC++'s name of <sycl/accessor.hpp>.
#ifndef SCYTHE_PROPERTIES_ACCESSOR_PROPERTIES_HPP
#define SCYTHE_PROPERTIES_ACCESSOR_PROPERTIES_HPP

#include <sycl/accessor.hpp>

#endif
