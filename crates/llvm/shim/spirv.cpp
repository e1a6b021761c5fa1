// LLVM's translation of a module to SPIR-V with a list of permitted extensions, which the C API
// cannot express. `src/spirv.rs` declares every function below and states what its caller must
// guarantee.
#include "fatal_errors.hpp"

#include "llvm-c/Core.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/TargetParser/Triple.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace llvm;

// The SPIR-V target exports this function, but no header declares it.
extern "C" bool SPIRVTranslate(Module *module, std::string &out, std::string &error,
                               const std::vector<std::string> &extensions, CodeGenOptLevel level,
                               Triple triple);

namespace {

// The state that a translation changes, kept where it survives a fatal error.
struct Translation : Escape {
  std::vector<std::string> allowed;
  std::string out;
  bool done = false;
};

} // namespace

extern "C" {

// `extensions` are `count` C strings. Returns the words of the SPIR-V module and their size in
// bytes, or null and a message. The caller frees both with `free`.
char *scythe_llvm_translate_to_spirv(LLVMModuleRef module, const char *triple,
                                     const char *const *extensions, size_t count, unsigned level,
                                     size_t *len, char **message) {
  *message = nullptr;
  *len = 0;
  auto *here = new Translation;
  here->allowed.assign(extensions, extensions + count);
  scythe_llvm_escape = here;
  if (setjmp(here->place) == 0)
    here->done = SPIRVTranslate(unwrap(module), here->out, here->message, here->allowed,
                                static_cast<CodeGenOptLevel>(level), Triple(triple));
  scythe_llvm_escape = nullptr;
  char *words = nullptr;
  if (here->done && !here->out.empty()) {
    words = static_cast<char *>(std::malloc(here->out.size()));
    if (words) {
      std::memcpy(words, here->out.data(), here->out.size());
      *len = here->out.size();
    }
  }
  if (!words)
    *message = scythe_llvm_copy(here->message.empty()
                                    ? std::string("the SPIR-V back end reported no reason")
                                    : here->message);
  delete here;
  return words;
}
}
