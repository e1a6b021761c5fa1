// DPC++'s name of <sycl/vec.hpp>.
#ifndef SCYTHE_VECTOR_HPP
#define SCYTHE_VECTOR_HPP

#include <sycl/vec.hpp>

#endif
