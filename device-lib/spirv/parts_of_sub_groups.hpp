// Exchange between the members of a part of a sub-group: the CPU's functions on the primitives of
// SPIR-V.
#ifndef SCYTHE_DEVICE_LIBRARY_SPIRV_PARTS_OF_SUB_GROUPS_HPP
#define SCYTHE_DEVICE_LIBRARY_SPIRV_PARTS_OF_SUB_GROUPS_HPP

#include "group_functions.hpp"

#include "../cpu/parts_of_sub_groups.hpp"

#endif
