// Wrappers of LLVM functions that splitting modules needs and the C API lacks. They make no
// decisions. `src/shim.rs` declares every function below and states what its caller must guarantee.
#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

typedef void (*VisitMetadata)(void *data, LLVMMetadataRef metadata);

namespace {
// Visits each compile unit once.
struct Units {
  VisitMetadata visit;
  void *data;
  SmallPtrSet<DICompileUnit *, 4> seen;

  void add(DICompileUnit *unit) {
    if (unit && seen.insert(unit).second)
      visit(data, wrap(unit));
  }
  void add(const DILocation *place) {
    for (; place; place = place->getInlinedAt())
      if (DISubprogram *subprogram = place->getScope()->getSubprogram())
        add(subprogram->getUnit());
  }
};
} // namespace

extern "C" {

// Visits the compile units of the function's debug information: first the function's unit, then
// those of inlined functions.
void scythe_llvm_function_units(LLVMValueRef function, VisitMetadata visit, void *data) {
  Function *f = unwrap<Function>(function);
  Units units{visit, data, {}};
  if (DISubprogram *subprogram = f->getSubprogram())
    units.add(subprogram->getUnit());
  for (Instruction &instruction : instructions(*f)) {
    units.add(instruction.getDebugLoc().get());
    for (DbgRecord &record : instruction.getDbgRecordRange())
      units.add(record.getDebugLoc().get());
  }
}

// Visits the compile units that enclose the declarations of a variable.
void scythe_llvm_variable_units(LLVMValueRef variable, VisitMetadata visit, void *data) {
  Units units{visit, data, {}};
  SmallVector<DIGlobalVariableExpression *, 1> all;
  unwrap<GlobalVariable>(variable)->getDebugInfo(all);
  for (DIGlobalVariableExpression *one : all)
    for (DIScope *scope = one->getVariable()->getScope(); scope; scope = scope->getScope()) {
      if (auto *subprogram = dyn_cast<DISubprogram>(scope))
        units.add(subprogram->getUnit());
      units.add(dyn_cast<DICompileUnit>(scope));
    }
}

// Returns whether metadata refers to a global of the module, directly or in a constant.
int scythe_llvm_metadata_names_globals(LLVMModuleRef module) {
  SmallVector<const Value *, 32> work;
  SmallPtrSet<const Value *, 32> seen;
  for (GlobalValue &global : unwrap(module)->global_values())
    work.push_back(&global);
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (value->isUsedByMetadata())
      return 1;
    for (const User *user : value->users())
      if (isa<Constant>(user) && !isa<GlobalValue>(user) && seen.insert(user).second)
        work.push_back(user);
  }
  return 0;
}

// Clones a function into another module, but shares all metadata with the original, which must
// outlive the clone. Only nodes that link instructions of one function (`DIAssignID`) are created
// again.
void scythe_llvm_clone_function_sharing_metadata(LLVMValueRef to, LLVMValueRef from, void *map) {
  Function *t = unwrap<Function>(to), *f = unwrap<Function>(from);
  ValueToValueMapTy &values = *static_cast<ValueToValueMapTy *>(map);
  MetadataPredicate shared = [](const Metadata *metadata) { return !isa<DIAssignID>(metadata); };
  SmallVector<ReturnInst *, 8> returns;
  CloneFunctionAttributesInto(t, f, values, true);
  CloneFunctionMetadataInto(*t, *f, values, RF_None, nullptr, nullptr, &shared);
  CloneFunctionBodyInto(*t, *f, values, RF_None, returns, "", nullptr, nullptr, nullptr, &shared);
}

void scythe_llvm_share_global_metadata(LLVMValueRef to, LLVMValueRef from) {
  SmallVector<std::pair<unsigned, MDNode *>, 4> all;
  unwrap<GlobalObject>(from)->getAllMetadata(all);
  for (auto &[kind, node] : all)
    unwrap<GlobalObject>(to)->addMetadata(kind, *node);
}

void scythe_llvm_append_to_used(LLVMModuleRef module, LLVMValueRef *values, size_t count) {
  SmallVector<GlobalValue *, 8> list;
  for (size_t i = 0; i < count; ++i)
    list.push_back(unwrap<GlobalValue>(values[i]));
  appendToUsed(*unwrap(module), list);
}

void scythe_llvm_append_to_global_ctors(LLVMModuleRef module, LLVMValueRef function, int priority) {
  appendToGlobalCtors(*unwrap(module), unwrap<Function>(function), priority);
}

void scythe_llvm_append_to_global_dtors(LLVMModuleRef module, LLVMValueRef function, int priority) {
  appendToGlobalDtors(*unwrap(module), unwrap<Function>(function), priority);
}

int scythe_llvm_has_indirect_functions(LLVMModuleRef module) {
  return !unwrap(module)->ifunc_empty();
}

// Passes the demangled name to `take`, or the symbol itself if it is not mangled.
void scythe_llvm_demangle(const char *symbol, size_t len,
                          void (*take)(void *data, const char *, size_t), void *data) {
  std::string text = demangle(std::string_view(symbol, len));
  take(data, text.data(), text.size());
}

} // extern "C"
