// DPC++'s name of <CL/__spirv/spirv_ops.hpp>.
#ifndef SCYTHE_SPIRV_SPIRV_OPS_HPP
#define SCYTHE_SPIRV_SPIRV_OPS_HPP

#include <CL/__spirv/spirv_ops.hpp>

#endif
