// Turns fatal errors of LLVM into results. Targets report a fatal error for code that they do not
// support, which would end the process. The memory that they allocated until then is leaked.
// `src/fatal_errors.rs` declares every function below and states what its caller must guarantee.
#include "fatal_errors.hpp"
#include "mask_moves.hpp"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

thread_local Escape *scythe_llvm_escape = nullptr;

char *scythe_llvm_copy(const std::string &text) {
  char *bytes = static_cast<char *>(std::malloc(text.size() + 1));
  if (bytes)
    std::memcpy(bytes, text.c_str(), text.size() + 1);
  return bytes;
}

namespace {

void on_fatal_error(void *, const char *reason, bool) {
  if (!scythe_llvm_escape)
    return;
  scythe_llvm_escape->message = reason;
  std::longjmp(scythe_llvm_escape->place, 1);
}

std::mutex handlers;
unsigned inside = 0;

} // namespace

extern "C" {

// Fatal errors still end the process in threads without an `Escape`. Any number of threads may be
// between these two functions.
void scythe_llvm_fatal_errors_begin() {
  const std::lock_guard<std::mutex> lock(handlers);
  if (inside++ == 0)
    llvm::install_fatal_error_handler(on_fatal_error);
}
void scythe_llvm_fatal_errors_end() {
  const std::lock_guard<std::mutex> lock(handlers);
  if (--inside == 0)
    llvm::remove_fatal_error_handler();
}

// Works like `LLVMTargetMachineEmitToMemoryBuffer`, but returns 2 after a fatal error. The caller
// frees the message of a fatal error with `free`.
int scythe_llvm_emit(LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType kind,
                     char **message, LLVMMemoryBufferRef *buffer) {
  scythe_llvm_extend_masks();
  auto *here = new Escape;
  scythe_llvm_escape = here;
  int result = 2;
  if (setjmp(here->place) == 0)
    result = LLVMTargetMachineEmitToMemoryBuffer(machine, module, kind, message, buffer) != 0;
  else
    *message = scythe_llvm_copy(here->message);
  scythe_llvm_escape = nullptr;
  delete here;
  return result;
}
}
