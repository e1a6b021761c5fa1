// DPC++'s header with `handler::host_task`, which programs include after `core.hpp`.
#ifndef SCYTHE_DETAIL_HOST_TASK_IMPL_HPP
#define SCYTHE_DETAIL_HOST_TASK_IMPL_HPP

#include <sycl/detail/core.hpp>

#endif
