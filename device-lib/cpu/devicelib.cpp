// The device library for the CPU as one translation unit. It defines the functions that kernels may
// call without defining them, except work-item queries, which the back end provides, and scalar
// functions of the C maths library.
#include "assertions.hpp"
#include "async_copies.hpp"
#include "c_integers.hpp"
#include "complex_arithmetic.hpp"
#include "complex_functions.hpp"
#include "group_functions.hpp"
#include "index_checks.hpp"
#include "maths.hpp"
#include "matrices.hpp"
#include "parts_of_sub_groups.hpp"
#include "specialization.hpp"
