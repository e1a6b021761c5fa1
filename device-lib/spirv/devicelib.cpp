// The device library for SPIR-V as one translation unit. It defines the functions that kernels may
// call without defining them and that neither the SPIR-V back end nor the driver provides. The back
// end and the driver provide `__spirv_*`, except group functions.
#include "../cpu/c_integers.hpp"
#include "../cpu/complex_arithmetic.hpp"
#include "../cpu/complex_functions.hpp"
#include "../cpu/specialization.hpp"
#include "assertions.hpp"
#include "c_maths.hpp"
#include "c_memory.hpp"
#include "group_functions.hpp"
#include "matrices.hpp"
#include "parts_of_sub_groups.hpp"
#include "root_group.hpp"
#include "wide_division.hpp"
