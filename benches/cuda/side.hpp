// The device's header of the language that compiles this file.
#ifndef SCYTHE_BENCHES_CUDA_SIDE_HPP
#define SCYTHE_BENCHES_CUDA_SIDE_HPP

#ifdef __CUDACC__
#include "device.cuh"
#else
#include "device.hpp"
#endif

#endif
