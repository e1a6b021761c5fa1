// DPC++'s name of <sycl/version.hpp>.
#ifndef SCYTHE_DEFINE_VENDORS_HPP
#define SCYTHE_DEFINE_VENDORS_HPP

#include <sycl/version.hpp>

#endif
