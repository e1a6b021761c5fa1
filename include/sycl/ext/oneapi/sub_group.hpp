// The earlier name of `sycl::sub_group` (`sycl_ext_oneapi_sub_group`).
#ifndef SCYTHE_EXT_ONEAPI_SUB_GROUP_HPP
#define SCYTHE_EXT_ONEAPI_SUB_GROUP_HPP

#include <sycl/sub_group.hpp>

namespace sycl::ext::oneapi {
using sub_group = sycl::sub_group;
}

#endif
