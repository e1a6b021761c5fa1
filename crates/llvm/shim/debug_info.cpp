// Wrappers of LLVM functions for debug information that the C API lacks. They make no decisions.
// `src/debug_info.rs` declares every function below and states what its caller must guarantee.
#include "llvm-c/Core.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

typedef LLVMMetadataRef (*RewriteLocation)(void *data, LLVMMetadataRef location, int is_variable);

extern "C" {

// Calls `visit` with the emission kind of each compile unit.
void scythe_llvm_visit_debug_kinds(LLVMModuleRef module, void (*visit)(void *data, unsigned kind),
                                   void *data) {
  for (DICompileUnit *unit : unwrap(module)->debug_compile_units())
    visit(data, unit->getEmissionKind());
}

void scythe_llvm_keep_line_tables(LLVMModuleRef module) {
  stripNonLineTableDebugInfo(*unwrap(module));
}

// Replaces each compile unit by one whose functions have positions, but no debug sections.
void scythe_llvm_keep_line_directives(LLVMModuleRef module) {
  Module &m = *unwrap(module);
  NamedMDNode *units = m.getNamedMetadata("llvm.dbg.cu");
  if (!units)
    return;
  DebugInfoFinder finder;
  finder.processModule(m);
  DenseMap<DICompileUnit *, DICompileUnit *> replaced;
  for (unsigned i = 0; i < units->getNumOperands(); ++i) {
    auto *old = cast<DICompileUnit>(units->getOperand(i));
    auto *unit = DICompileUnit::getDistinct(
        m.getContext(), old->getSourceLanguage(), old->getFile(), old->getProducer(),
        old->isOptimized(), old->getFlags(), old->getRuntimeVersion(), StringRef(),
        DICompileUnit::DebugDirectivesOnly, nullptr, nullptr, nullptr, nullptr, nullptr, 0,
        old->getSplitDebugInlining(), old->getDebugInfoForProfiling(), old->getNameTableKind(),
        old->getRangesBaseAddress(), old->getSysRoot(), old->getSDK());
    replaced[old] = unit;
    units->setOperand(i, unit);
  }
  for (DISubprogram *subprogram : finder.subprograms())
    if (DICompileUnit *unit = replaced.lookup(subprogram->getUnit()))
      subprogram->replaceUnit(unit);
}

void scythe_llvm_set_subprogram(LLVMValueRef function, LLVMMetadataRef subprogram_or_null) {
  unwrap<Function>(function)->setSubprogram(cast_or_null<DISubprogram>(unwrap(subprogram_or_null)));
}

// Returns a definition like `subprogram` without variables, with another name and position.
LLVMMetadataRef scythe_llvm_derive_subprogram(LLVMMetadataRef subprogram, const char *name,
                                              size_t name_len, LLVMMetadataRef file,
                                              unsigned line) {
  auto *old = unwrap<DISubprogram>(subprogram);
  auto *place = cast_or_null<DIFile>(unwrap(file));
  return wrap(DISubprogram::getDistinct(
      old->getContext(), place, StringRef(name, name_len), StringRef(), place, line, old->getType(),
      line, nullptr, 0, 0, DINode::FlagArtificial, DISubprogram::SPFlagDefinition, old->getUnit()));
}

// Replaces the location of every instruction and debug record. A record without a new location is
// removed.
void scythe_llvm_rewrite_debug_locations(LLVMValueRef function, RewriteLocation rewrite,
                                         void *data) {
  auto get = [&](const DILocation *old, bool is_variable) {
    return cast_or_null<DILocation>(unwrap(rewrite(data, wrap(old), is_variable)));
  };
  for (Instruction &instruction : instructions(*unwrap<Function>(function))) {
    for (DbgRecord &record : make_early_inc_range(instruction.getDbgRecordRange())) {
      if (DILocation *location = get(record.getDebugLoc().get(), true))
        record.setDebugLoc(DebugLoc(location));
      else
        record.eraseFromParent();
    }
    const DILocation *old = instruction.getDebugLoc().get();
    if (!old)
      continue;
    DILocation *location = get(old, false);
    // The atom says whether debuggers may stop at the instruction.
    if (location && old->getAtomGroup())
      location =
          DILocation::get(location->getContext(), location->getLine(), location->getColumn(),
                          location->getScope(), location->getInlinedAt(),
                          location->isImplicitCode(), old->getAtomGroup(), old->getAtomRank());
    instruction.setDebugLoc(DebugLoc(location));
  }
}

// Removes the address spaces from the locations of variables.
void scythe_llvm_drop_debug_address_spaces(LLVMValueRef function) {
  for (Instruction &instruction : instructions(*unwrap<Function>(function)))
    for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange())) {
      unsigned space;
      const DIExpression *old = record.getExpression();
      const DIExpression *plain = DIExpression::extractAddressClass(old, space);
      // An expression without other elements becomes null.
      if (!plain)
        plain = DIExpression::get(old->getContext(), {});
      record.setExpression(const_cast<DIExpression *>(plain));
    }
}

// Returns the expression for memory whose address is at the place of `expression`.
LLVMMetadataRef scythe_llvm_indirect_debug_expression(LLVMMetadataRef expression) {
  return wrap(DIExpression::prepend(unwrap<DIExpression>(expression), DIExpression::DerefBefore));
}

// Replaces name and file of a subprogram, and removes its linkage name.
void scythe_llvm_rename_subprogram(LLVMMetadataRef subprogram, const char *name, size_t name_len,
                                   LLVMMetadataRef file_or_null) {
  auto *node = unwrap<DISubprogram>(subprogram);
  enum { File = 0, Name = 2, LinkageName = 3 };
  node->replaceOperandWith(Name, MDString::get(node->getContext(), StringRef(name, name_len)));
  node->replaceOperandWith(LinkageName, nullptr);
  if (file_or_null)
    node->replaceOperandWith(File, unwrap(file_or_null));
}

LLVMMetadataRef scythe_llvm_debug_scope_parent(LLVMMetadataRef scope) {
  return wrap(unwrap<DIScope>(scope)->getScope());
}

const char *scythe_llvm_debug_scope_name(LLVMMetadataRef scope, size_t *len) {
  StringRef name = unwrap<DIScope>(scope)->getName();
  *len = name.size();
  // The address of an empty text may be null.
  return name.data() ? name.data() : "";
}

// Returns a location that is distinct from all others, for one inlined call.
LLVMMetadataRef scythe_llvm_distinct_debug_location(LLVMMetadataRef scope, unsigned line,
                                                    unsigned column, LLVMMetadataRef inlined_at) {
  auto *at = unwrap<DILocalScope>(scope);
  return wrap(DILocation::getDistinct(at->getContext(), line, column, at,
                                      cast_or_null<DILocation>(unwrap(inlined_at))));
}

} // extern "C"
