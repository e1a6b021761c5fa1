// DPC++'s name of <sycl/info.hpp>.
#ifndef SCYTHE_INFO_EVENT_HPP
#define SCYTHE_INFO_EVENT_HPP

#include <sycl/info.hpp>

#endif
