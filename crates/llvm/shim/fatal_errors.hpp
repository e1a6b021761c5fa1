// Where a fatal error of LLVM goes on instead of ending the process: see fatal_errors.cpp.
#ifndef SCYTHE_LLVM_FATAL_ERRORS_HPP
#define SCYTHE_LLVM_FATAL_ERRORS_HPP

#include <csetjmp>
#include <string>

// The place of one thread, and the error's message. All that changes between `setjmp` and `longjmp`
// lives in here, on the heap.
struct Escape {
  std::jmp_buf place;
  std::string message;
};

// This thread's, while there is one.
extern thread_local Escape *scythe_llvm_escape;

// A copy from `malloc`.
char *scythe_llvm_copy(const std::string &text);

#endif
