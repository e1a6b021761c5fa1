// DPC++'s name of <sycl/kernel_bundle.hpp>.
#ifndef SCYTHE_KERNEL_BUNDLE_ENUMS_HPP
#define SCYTHE_KERNEL_BUNDLE_ENUMS_HPP

#include <sycl/kernel_bundle.hpp>

#endif
