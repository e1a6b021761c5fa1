// Work-item queries in device code. Dimension 0 varies fastest, as in SPIR-V. The callers reverse
// the order for SYCL.
//
// The queries are declared free of side effects, so that unused queries of an `item` cost nothing.
#ifndef SCYTHE_DETAIL_SPIRV_HPP
#define SCYTHE_DETAIL_SPIRV_HPP

#include <sycl/detail/config.hpp>

#ifdef SCYTHE_DEVICE_PASS
#define SCYTHE_QUERY(name)                                                                         \
  SCYTHE_DEVICE_LIBRARY __attribute__((const)) extern __SIZE_TYPE__ name(int dimension) noexcept
SCYTHE_QUERY(__spirv_BuiltInGlobalInvocationId);
SCYTHE_QUERY(__spirv_BuiltInGlobalSize);
SCYTHE_QUERY(__spirv_BuiltInGlobalOffset);
SCYTHE_QUERY(__spirv_BuiltInLocalInvocationId);
SCYTHE_QUERY(__spirv_BuiltInWorkgroupSize);
SCYTHE_QUERY(__spirv_BuiltInWorkgroupId);
SCYTHE_QUERY(__spirv_BuiltInNumWorkgroups);
#undef SCYTHE_QUERY
#endif

#endif
