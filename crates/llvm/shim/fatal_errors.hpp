// The point where a thread continues after a fatal error of LLVM: see fatal_errors.cpp.
#ifndef SCYTHE_LLVM_FATAL_ERRORS_HPP
#define SCYTHE_LLVM_FATAL_ERRORS_HPP

#include <csetjmp>
#include <string>

// The jump target of one thread, and the error's message. All state that changes between `setjmp`
// and `longjmp` is in this object, on the heap.
struct Escape {
  std::jmp_buf place;
  std::string message;
};

// The current thread's escape, or null.
extern thread_local Escape *scythe_llvm_escape;

// Copies the text into memory from `malloc`.
char *scythe_llvm_copy(const std::string &text);

#endif
