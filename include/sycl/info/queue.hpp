// DPC++'s name of <sycl/info.hpp>.
#ifndef SCYTHE_INFO_QUEUE_HPP
#define SCYTHE_INFO_QUEUE_HPP

#include <sycl/info.hpp>

#endif
