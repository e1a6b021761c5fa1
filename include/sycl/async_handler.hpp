// DPC++'s name of <sycl/exception.hpp>.
#ifndef SCYTHE_ASYNC_HANDLER_HPP
#define SCYTHE_ASYNC_HANDLER_HPP

#include <sycl/exception.hpp>

#endif
