// A product of two matrices of bfloat16 on tensor cores.
#include "wmma.hpp"

#include <cuda_bf16.h>

int main() { measure_tensor_cores<__nv_bfloat16>("wmma_bfloat16"); }
