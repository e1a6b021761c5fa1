// DPC++'s name of <sycl/backend.hpp>.
#ifndef SCYTHE_BACKEND_TYPES_HPP
#define SCYTHE_BACKEND_TYPES_HPP

#include <sycl/backend.hpp>

#endif
