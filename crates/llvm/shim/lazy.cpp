// Wrappers of LLVM functions that read function bodies of bitcode one by one, which the C API
// lacks. They make no decisions. `src/lazy.rs` declares every function below and states what its
// caller must guarantee.
#include "llvm-c/Core.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

using namespace llvm;

// Returns null, or the message of an error, which the caller disposes.
static char *message(Error error) {
  if (!error)
    return nullptr;
  return LLVMCreateMessage(toString(std::move(error)).c_str());
}

extern "C" {

// Reads the body of a function unless it has been read.
char *scythe_llvm_materialize(LLVMValueRef function) {
  return message(unwrap<Function>(function)->materialize());
}

// Reads everything that has not been read, and releases the bitcode.
char *scythe_llvm_materialize_all(LLVMModuleRef module) {
  return message(unwrap(module)->materializeAll());
}

} // extern "C"
