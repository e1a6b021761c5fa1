// DPC++'s name of <sycl/specialization_id.hpp>.
#ifndef SCYTHE_KERNEL_HANDLER_HPP
#define SCYTHE_KERNEL_HANDLER_HPP

#include <sycl/specialization_id.hpp>

#endif
