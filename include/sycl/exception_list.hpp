// DPC++'s name of <sycl/exception.hpp>.
#ifndef SCYTHE_EXCEPTION_LIST_HPP
#define SCYTHE_EXCEPTION_LIST_HPP

#include <sycl/exception.hpp>

#endif
