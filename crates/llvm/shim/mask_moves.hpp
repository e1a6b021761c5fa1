// Right code for AVX-512 masks; `mask_moves.cpp` says what LLVM gets wrong.
#pragma once

// Adds the pass to every later x86 code generation of the process. May be called any number of
// times, by any thread.
void scythe_llvm_extend_masks();
