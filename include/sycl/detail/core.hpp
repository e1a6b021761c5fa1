// DPC++'s header with the core classes. Scythe has no smaller set than all of SYCL.
#ifndef SCYTHE_DETAIL_CORE_HPP
#define SCYTHE_DETAIL_CORE_HPP

#include <sycl/sycl.hpp>

#endif
