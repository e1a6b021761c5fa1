// SYCL's built-in functions on scalars, vectors and mathematical arrays, for kernels and host code.
#ifndef SCYTHE_BUILTINS_HPP
#define SCYTHE_BUILTINS_HPP

#include <sycl/detail/builtins_common.hpp>
#include <sycl/detail/builtins_integer.hpp>
#include <sycl/detail/builtins_math.hpp>
#include <sycl/detail/builtins_relational.hpp>

#undef SCYTHE_AT
#undef SCYTHE_EACH
#undef SCYTHE_MATHS

#endif
