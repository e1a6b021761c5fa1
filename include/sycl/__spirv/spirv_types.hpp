// DPC++'s name of <CL/__spirv/spirv_types.hpp>.
#ifndef SCYTHE_SPIRV_SPIRV_TYPES_HPP
#define SCYTHE_SPIRV_SPIRV_TYPES_HPP

#include <CL/__spirv/spirv_types.hpp>

#endif
