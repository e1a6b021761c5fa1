// The device library for SPIR-V, one translation unit: what kernels may call without defining it,
// and the SPIR-V back end and the driver do not know by name. `__spirv_*` is theirs, but for group
// functions.
#include "../cpu/complex_arithmetic.hpp"
#include "../cpu/complex_functions.hpp"
#include "../cpu/specialization.hpp"
#include "assertions.hpp"
#include "c_maths.hpp"
#include "c_memory.hpp"
#include "group_functions.hpp"
#include "wide_division.hpp"
