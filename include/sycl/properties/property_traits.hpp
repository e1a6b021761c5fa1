// DPC++'s name of <sycl/property_list.hpp>.
#ifndef SCYTHE_PROPERTIES_PROPERTY_TRAITS_HPP
#define SCYTHE_PROPERTIES_PROPERTY_TRAITS_HPP

#include <sycl/property_list.hpp>

#endif
