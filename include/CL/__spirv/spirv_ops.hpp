// SPIR-V's operations as C++ functions, which are declared and not defined: in device code a call is the instruction.
//
// Work-item queries are `__spirv_BuiltIn<Query>`, barriers `__spirv_ControlBarrier` and `__spirv_MemoryBarrier`, group
// functions `__spirv_Group<Operation>`, OpenCL's extended instructions `__spirv_ocl_<name>`. Only device code has them.
#ifndef SCYTHE_CL_SPIRV_OPS_HPP
#define SCYTHE_CL_SPIRV_OPS_HPP

#include <CL/__spirv/spirv_types.hpp>
#include <sycl/detail/builtins_device.hpp>
#include <sycl/detail/spirv.hpp>
#include <sycl/detail/spirv_group.hpp>

#endif
