// LLVM's translation of a module to SPIR-V, with the extensions that it may use named one by one; the C API has no way
// to name them. `src/spirv.rs` declares every function below and states what its caller must guarantee.
#include "llvm-c/Core.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/TargetParser/Triple.h"

#include <csetjmp>
#include <cstring>
#include <string>
#include <vector>

using namespace llvm;

// Exported by the SPIR-V target; no header declares it.
extern "C" bool SPIRVTranslate(Module *module, std::string &out, std::string &error,
                               const std::vector<std::string> &extensions, CodeGenOptLevel level, Triple triple);

namespace {

// Where a fatal error of LLVM on this thread goes on, and its message. The target gives up on code it does not know by
// a fatal error, which would end the process; what it had allocated by then is lost. All that changes between `setjmp`
// and `longjmp` lives in here, on the heap.
struct Escape {
  std::jmp_buf place;
  std::vector<std::string> allowed;
  std::string out, message;
  bool done = false;
};
thread_local Escape *escape = nullptr;

void on_fatal_error(void *, const char *reason, bool) {
  if (!escape)
    return;
  escape->message = reason;
  std::longjmp(escape->place, 1);
}

char *copy(const std::string &text) {
  char *bytes = static_cast<char *>(std::malloc(text.size() + 1));
  if (bytes)
    std::memcpy(bytes, text.c_str(), text.size() + 1);
  return bytes;
}

} // namespace

extern "C" {

// Fatal errors of other threads end the process as ever. Only one thread at a time may be between the two.
void scythe_llvm_fatal_errors_begin() { install_fatal_error_handler(on_fatal_error); }
void scythe_llvm_fatal_errors_end() { remove_fatal_error_handler(); }

// `extensions` are `count` C strings. Gives the words of the SPIR-V module and their size in bytes, or null and a
// message; both are freed with `free`.
char *scythe_llvm_translate_to_spirv(LLVMModuleRef module, const char *triple, const char *const *extensions,
                                     size_t count, unsigned level, size_t *len, char **message) {
  *message = nullptr;
  *len = 0;
  auto *here = new Escape;
  here->allowed.assign(extensions, extensions + count);
  escape = here;
  if (setjmp(here->place) == 0)
    here->done = SPIRVTranslate(unwrap(module), here->out, here->message, here->allowed,
                                static_cast<CodeGenOptLevel>(level), Triple(triple));
  escape = nullptr;
  char *words = nullptr;
  if (here->done && !here->out.empty()) {
    words = static_cast<char *>(std::malloc(here->out.size()));
    if (words) {
      std::memcpy(words, here->out.data(), here->out.size());
      *len = here->out.size();
    }
  }
  if (!words)
    *message = copy(here->message.empty() ? std::string("the SPIR-V target gave no reason") : here->message);
  delete here;
  return words;
}
}
