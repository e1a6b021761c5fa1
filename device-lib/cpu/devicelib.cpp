// The CPU device library, one translation unit: all that kernels may call without defining it,
// apart from what the back end itself provides (work-item queries) and the scalar functions of the
// C maths library.
#include "assertions.hpp"
#include "async_copies.hpp"
#include "complex_arithmetic.hpp"
#include "complex_functions.hpp"
#include "group_functions.hpp"
#include "math.hpp"
#include "specialization.hpp"
