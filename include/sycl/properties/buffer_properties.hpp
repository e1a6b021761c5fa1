// DPC++'s name of <sycl/buffer.hpp>.
#ifndef SCYTHE_PROPERTIES_BUFFER_PROPERTIES_HPP
#define SCYTHE_PROPERTIES_BUFFER_PROPERTIES_HPP

#include <sycl/buffer.hpp>

#endif
