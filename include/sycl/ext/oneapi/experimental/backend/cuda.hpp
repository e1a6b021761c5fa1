// DPC++'s name of <sycl/backend/cuda.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_BACKEND_CUDA_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_BACKEND_CUDA_HPP

#include <sycl/backend/cuda.hpp>

#endif
