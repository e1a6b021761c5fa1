// SYCL's built-in functions on scalars, for kernels and host code alike.
#ifndef SCYTHE_BUILTINS_HPP
#define SCYTHE_BUILTINS_HPP

#include <sycl/detail/builtins_common.hpp>
#include <sycl/detail/builtins_integer.hpp>
#include <sycl/detail/builtins_math.hpp>
#include <sycl/detail/builtins_relational.hpp>

#endif
