// DPC++'s name of <sycl/functional.hpp>.
#ifndef SCYTHE_KNOWN_IDENTITY_HPP
#define SCYTHE_KNOWN_IDENTITY_HPP

#include <sycl/functional.hpp>

#endif
