// DPC++'s name of <sycl/access.hpp>.
#ifndef SCYTHE_ACCESS_ACCESS_HPP
#define SCYTHE_ACCESS_ACCESS_HPP

#include <sycl/access.hpp>

#endif
