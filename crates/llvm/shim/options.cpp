// Sets options of LLVM's libraries for which no API exists.
#include "llvm/Support/CommandLine.h"

// Sets a boolean option by its name on LLVM's command lines. Returns 0 if there is no such option.
// The caller guarantees that the option is boolean.
extern "C" int scythe_llvm_set_flag(const char *name, int value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found == options.end())
    return 0;
  static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(value != 0);
  return 1;
}
