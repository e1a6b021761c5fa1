// DPC++'s name of <CL/__spirv/spirv_vars.hpp>.
#ifndef SCYTHE_SPIRV_SPIRV_VARS_HPP
#define SCYTHE_SPIRV_SPIRV_VARS_HPP

#include <CL/__spirv/spirv_vars.hpp>

#endif
