// DPC++'s name of <sycl/multi_ptr.hpp>.
#ifndef SCYTHE_POINTERS_HPP
#define SCYTHE_POINTERS_HPP

#include <sycl/multi_ptr.hpp>

#endif
