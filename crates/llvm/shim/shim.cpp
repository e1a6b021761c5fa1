// Wrappers of LLVM functions that the C API lacks. They make no decisions. `src/shim.rs` declares
// every function below and states what its caller must guarantee.
#include "llvm-c/Core.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

extern "C" {

// --- Named metadata
// --------------------------------------------------------------------------------------------

void scythe_llvm_erase_named_metadata(LLVMModuleRef module, const char *name, size_t len) {
  Module *m = unwrap(module);
  if (NamedMDNode *node = m->getNamedMetadata(StringRef(name, len)))
    m->eraseNamedMetadata(node);
}

unsigned scythe_llvm_named_metadata_count(LLVMNamedMDNodeRef node) {
  return reinterpret_cast<NamedMDNode *>(node)->getNumOperands();
}

LLVMMetadataRef scythe_llvm_named_metadata_operand(LLVMNamedMDNodeRef node, unsigned index) {
  return wrap(reinterpret_cast<NamedMDNode *>(node)->getOperand(index));
}

void scythe_llvm_named_metadata_add(LLVMNamedMDNodeRef node, LLVMMetadataRef operand) {
  reinterpret_cast<NamedMDNode *>(node)->addOperand(unwrap<MDNode>(operand));
}

// --- Metadata
// -----------------------------------------------------------------------------------------------

// Returns 0 for a string, 1 for a node, 2 for a constant and 3 for other metadata.
unsigned scythe_llvm_metadata_class(LLVMMetadataRef metadata) {
  Metadata *md = unwrap(metadata);
  if (isa<MDString>(md))
    return 0;
  if (isa<MDNode>(md))
    return 1;
  return isa<ConstantAsMetadata>(md) ? 2 : 3;
}

const char *scythe_llvm_metadata_string(LLVMMetadataRef metadata, size_t *len) {
  StringRef s = unwrap<MDString>(metadata)->getString();
  *len = s.size();
  return s.data();
}

unsigned scythe_llvm_metadata_operand_count(LLVMMetadataRef metadata) {
  return unwrap<MDNode>(metadata)->getNumOperands();
}

LLVMMetadataRef scythe_llvm_metadata_operand(LLVMMetadataRef metadata, unsigned index) {
  return wrap(unwrap<MDNode>(metadata)->getOperand(index).get());
}

LLVMValueRef scythe_llvm_metadata_constant(LLVMMetadataRef metadata) {
  return wrap(unwrap<ConstantAsMetadata>(metadata)->getValue());
}

LLVMMetadataRef scythe_llvm_metadata_distinct_node(LLVMContextRef context,
                                                   LLVMMetadataRef *operands, size_t count) {
  return wrap(MDNode::getDistinct(*unwrap(context), ArrayRef<Metadata *>(unwrap(operands), count)));
}

void scythe_llvm_metadata_set_operand(LLVMMetadataRef node, unsigned index,
                                      LLVMMetadataRef operand) {
  unwrap<MDNode>(node)->replaceOperandWith(index, unwrap(operand));
}

LLVMMetadataRef scythe_llvm_global_metadata(LLVMValueRef global, unsigned kind) {
  return wrap(unwrap<GlobalObject>(global)->getMetadata(kind));
}

LLVMMetadataRef scythe_llvm_instruction_metadata(LLVMValueRef instruction, unsigned kind) {
  return wrap(unwrap<Instruction>(instruction)->getMetadata(kind));
}

void scythe_llvm_instruction_set_metadata(LLVMValueRef instruction, unsigned kind,
                                          LLVMMetadataRef node) {
  unwrap<Instruction>(instruction)->setMetadata(kind, node ? unwrap<MDNode>(node) : nullptr);
}

// --- Debug information
// ------------------------------------------------------------------------------------------

const char *scythe_llvm_subprogram_name(LLVMMetadataRef subprogram, size_t *len) {
  StringRef s = unwrap<DISubprogram>(subprogram)->getName();
  *len = s.size();
  return s.data();
}

int scythe_llvm_is_debug_scope(LLVMMetadataRef metadata) { return isa<DIScope>(unwrap(metadata)); }

// Returns the function that contains a local scope, or null.
LLVMMetadataRef scythe_llvm_scope_subprogram(LLVMMetadataRef scope) {
  auto *local = dyn_cast<DILocalScope>(unwrap(scope));
  return local ? wrap(local->getSubprogram()) : nullptr;
}

// --- Functions and calls
// ----------------------------------------------------------------------------------------

// Moves all blocks and copies all metadata of `from` to the empty function `to`.
void scythe_llvm_take_body(LLVMValueRef to, LLVMValueRef from) {
  Function *t = unwrap<Function>(to), *f = unwrap<Function>(from);
  t->splice(t->begin(), f);
  t->copyMetadata(f, 0);
}

void scythe_llvm_strip_function_debug_info(LLVMValueRef function) {
  stripDebugInfo(*unwrap<Function>(function));
}

void scythe_llvm_delete_body(LLVMValueRef function) { unwrap<Function>(function)->deleteBody(); }

void scythe_llvm_erase_alias(LLVMValueRef alias) { unwrap<GlobalAlias>(alias)->eraseFromParent(); }

// Copies attributes of functions, calling convention, visibility, section and similar properties,
// but not linkage and comdat.
void scythe_llvm_copy_function_attributes(LLVMValueRef to, LLVMValueRef from) {
  unwrap<Function>(to)->copyAttributesFrom(unwrap<Function>(from));
}

void scythe_llvm_clear_parameter_attributes(LLVMValueRef function, unsigned index) {
  Function *f = unwrap<Function>(function);
  f->setAttributes(f->getAttributes().removeParamAttributes(f->getContext(), index));
}

// Also clears attributes in the list for parameters that the function does not have.
void scythe_llvm_clear_all_parameter_attributes(LLVMValueRef function) {
  Function *f = unwrap<Function>(function);
  AttributeList all = f->getAttributes();
  f->setAttributes(AttributeList::get(f->getContext(), all.getFnAttrs(), all.getRetAttrs(), {}));
}

// Returns null on success, or the reason why the call cannot be inlined, as a string with static
// lifetime.
const char *scythe_llvm_inline_call(LLVMValueRef call) {
  InlineFunctionInfo info;
  InlineResult result = InlineFunction(*unwrap<CallBase>(call), info);
  return result.isSuccess() ? nullptr : result.getFailureReason();
}

unsigned scythe_llvm_remove_unreachable_blocks(LLVMValueRef function) {
  return removeUnreachableBlocks(*unwrap<Function>(function));
}

LLVMBasicBlockRef scythe_llvm_split_block(LLVMBasicBlockRef block, LLVMValueRef before,
                                          const char *name) {
  return wrap(unwrap(block)->splitBasicBlock(unwrap<Instruction>(before)->getIterator(), name));
}

void scythe_llvm_replace_used(LLVMValueRef user, LLVMValueRef from, LLVMValueRef to) {
  unwrap<User>(user)->replaceUsesOfWith(unwrap(from), unwrap(to));
}

void scythe_llvm_append_to_compiler_used(LLVMModuleRef module, LLVMValueRef *values, size_t count) {
  SmallVector<GlobalValue *, 8> list;
  for (size_t i = 0; i < count; ++i)
    list.push_back(unwrap<GlobalValue>(values[i]));
  appendToCompilerUsed(*unwrap(module), list);
}

// --- Cloning
// -----------------------------------------------------------------------------------------------

typedef struct ScytheValueMap ScytheValueMap;

// Maps a global that is missing in the map to poison. Only metadata can refer to such a global.
struct PoisonMissing final : ValueMaterializer {
  Value *materialize(Value *v) override {
    return isa<GlobalValue>(v) ? PoisonValue::get(v->getType()) : nullptr;
  }
};

static ValueToValueMapTy *as_map(ScytheValueMap *map) {
  return reinterpret_cast<ValueToValueMapTy *>(map);
}

ScytheValueMap *scythe_llvm_value_map_new(void) {
  return reinterpret_cast<ScytheValueMap *>(new ValueToValueMapTy());
}

void scythe_llvm_value_map_free(ScytheValueMap *map) { delete as_map(map); }

void scythe_llvm_value_map_insert(ScytheValueMap *map, LLVMValueRef from, LLVMValueRef to) {
  (*as_map(map))[unwrap(from)] = unwrap(to);
}

LLVMValueRef scythe_llvm_value_map_get(ScytheValueMap *map, LLVMValueRef from) {
  auto it = as_map(map)->find(unwrap(from));
  return it == as_map(map)->end() ? nullptr : wrap(&*it->second);
}

LLVMValueRef scythe_llvm_map_constant(ScytheValueMap *map, LLVMValueRef constant) {
  return wrap(MapValue(unwrap<Constant>(constant), *as_map(map)));
}

LLVMMetadataRef scythe_llvm_map_metadata(ScytheValueMap *map, LLVMMetadataRef metadata,
                                         int poison_missing) {
  PoisonMissing poison;
  return wrap(MapMetadata(unwrap(metadata), *as_map(map), RF_None, nullptr,
                          poison_missing ? &poison : nullptr));
}

// `scope` is 0 for the same function types and globals, 1 for the same module, 2 for another
// module, and 3 for a module that is cloned as a whole.
void scythe_llvm_clone_function_into(LLVMValueRef to, LLVMValueRef from, ScytheValueMap *map,
                                     unsigned scope, int poison_missing) {
  PoisonMissing poison;
  SmallVector<ReturnInst *, 8> returns;
  CloneFunctionInto(unwrap<Function>(to), unwrap<Function>(from), *as_map(map),
                    static_cast<CloneFunctionChangeType>(scope), returns, "", nullptr, nullptr,
                    poison_missing ? &poison : nullptr);
}

void scythe_llvm_copy_global_variable_attributes(LLVMValueRef to, LLVMValueRef from) {
  unwrap<GlobalVariable>(to)->copyAttributesFrom(unwrap<GlobalVariable>(from));
}

void scythe_llvm_add_global_variable_attribute(LLVMValueRef variable, const char *name,
                                               size_t name_len, const char *value,
                                               size_t value_len) {
  unwrap<GlobalVariable>(variable)->addAttribute(StringRef(name, name_len),
                                                 StringRef(value, value_len));
}

// Returns null if there is no such attribute. The text lives as long as the context.
const char *scythe_llvm_global_variable_attribute(LLVMValueRef variable, const char *name,
                                                  size_t name_len, size_t *len) {
  Attribute attribute = unwrap<GlobalVariable>(variable)->getAttribute(StringRef(name, name_len));
  if (!attribute.isStringAttribute())
    return nullptr;
  StringRef value = attribute.getValueAsString();
  *len = value.size();
  // The address of an empty text may be null.
  return value.data() ? value.data() : "";
}

void scythe_llvm_copy_global_metadata(LLVMValueRef to, LLVMValueRef from, ScytheValueMap *map,
                                      int poison_missing) {
  PoisonMissing poison;
  GlobalObject *t = unwrap<GlobalObject>(to);
  SmallVector<std::pair<unsigned, MDNode *>, 4> all;
  unwrap<GlobalObject>(from)->getAllMetadata(all);
  for (auto &[kind, node] : all)
    t->addMetadata(kind, *MapMetadata(node, *as_map(map), RF_None, nullptr,
                                      poison_missing ? &poison : nullptr));
}

} // extern "C"
