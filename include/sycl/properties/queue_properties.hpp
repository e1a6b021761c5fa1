// DPC++'s name of <sycl/property_list.hpp>.
#ifndef SCYTHE_PROPERTIES_QUEUE_PROPERTIES_HPP
#define SCYTHE_PROPERTIES_QUEUE_PROPERTIES_HPP

#include <sycl/property_list.hpp>

#endif
