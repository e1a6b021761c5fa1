// The device library for NVIDIA GPUs as one translation unit. It defines the functions that kernels
// may call without defining them.
#include "../cpu/async_copies.hpp"
#include "../cpu/complex_arithmetic.hpp"
#include "../cpu/complex_functions.hpp"
#include "../cpu/specialization.hpp"
#include "../spirv/c_maths.hpp"
#include "../spirv/c_memory.hpp"
#include "address_spaces.hpp"
#include "c_support.hpp"
#include "groups.hpp"
#include "maths.hpp"
