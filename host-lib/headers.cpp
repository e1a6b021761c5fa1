// The source of `libscythe-headers.a`: the functions of the SYCL headers that are the same in every
// program. See `SCYTHE_LIBRARY` in `include/sycl/detail/config.hpp`.
#define SCYTHE_COMPILE_HEADER_LIBRARY
#include <sycl/sycl.hpp>

#ifndef SCYTHE_HEADER_LIBRARY
#error "compile this file with the driver of Scythe and with libstdc++"
#endif
