// DPC++'s name of <sycl/info.hpp>.
#ifndef SCYTHE_INFO_CONTEXT_HPP
#define SCYTHE_INFO_CONTEXT_HPP

#include <sycl/info.hpp>

#endif
