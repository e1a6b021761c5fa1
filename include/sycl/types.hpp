// DPC++'s name of <sycl/aliases.hpp>.
#ifndef SCYTHE_TYPES_HPP
#define SCYTHE_TYPES_HPP

#include <sycl/aliases.hpp>

#endif
