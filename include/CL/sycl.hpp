// The header name and namespace of SYCL 1.2.1.
#ifndef SCYTHE_CL_SYCL_HPP
#define SCYTHE_CL_SYCL_HPP

#include <sycl/sycl.hpp>

namespace cl {
namespace sycl = ::sycl;
}

#endif
