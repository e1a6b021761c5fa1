// DPC++'s name of <sycl/async_work_group_copy.hpp>.
#ifndef SCYTHE_DEVICE_EVENT_HPP
#define SCYTHE_DEVICE_EVENT_HPP

#include <sycl/async_work_group_copy.hpp>

#endif
