// Correct code for AVX-512 masks. `mask_moves.cpp` describes the defect of LLVM.
#pragma once

// Adds the pass to every later x86 code generation of the process. Any thread may call this
// function, any number of times.
void scythe_llvm_extend_masks();
