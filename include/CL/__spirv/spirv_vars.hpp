// SPIR-V's built-in variables as C++ functions, `__spirv_BuiltIn<Name>`. `spirv_ops.hpp` declares
// them.
#ifndef SCYTHE_CL_SPIRV_VARS_HPP
#define SCYTHE_CL_SPIRV_VARS_HPP

#include <CL/__spirv/spirv_ops.hpp>

#endif
