// A product of two matrices of half on tensor cores.
#include "wmma.hpp"

int main() { measure_tensor_cores<half>("wmma_half"); }
