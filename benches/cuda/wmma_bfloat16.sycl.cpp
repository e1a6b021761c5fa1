// A product of two matrices of bfloat16 on tensor cores.
#include "wmma.hpp"

int main() { measure_tensor_cores<sycl::ext::oneapi::bfloat16>("wmma_bfloat16"); }
