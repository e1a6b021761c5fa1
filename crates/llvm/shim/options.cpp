// Options of LLVM's libraries that can be set in no other way.
#include "llvm/Support/CommandLine.h"

// Sets a flag by its name on LLVM's command lines; 0 where there is none. The caller knows that it
// is a flag.
extern "C" int scythe_llvm_set_flag(const char *name, int value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found == options.end())
    return 0;
  static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(value != 0);
  return 1;
}
