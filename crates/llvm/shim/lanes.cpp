// Wrappers of LLVM functions that widening code to several lanes needs and the C API lacks.
// `src/lanes.rs` declares every function below.
#include "llvm-c/Core.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

extern "C" {

// Copies wrapping, exactness, disjointness and floating-point flags.
void scythe_llvm_copy_ir_flags(LLVMValueRef to, LLVMValueRef from) {
  if (auto *i = dyn_cast<Instruction>(unwrap(to)))
    i->copyIRFlags(unwrap(from));
}

// Drops the guarantees of an instruction about its operands and its result that are not part of its
// computation: flags, ranges, attributes of a call and metadata. Only metadata about memory and
// floating-point accuracy remains.
void scythe_llvm_drop_promises(LLVMValueRef instruction) {
  auto *i = unwrap<Instruction>(instruction);
  i->dropPoisonGeneratingAnnotations();
  i->dropUBImplyingAttrsAndUnknownMetadata({LLVMContext::MD_tbaa, LLVMContext::MD_tbaa_struct,
                                            LLVMContext::MD_alias_scope, LLVMContext::MD_noalias,
                                            LLVMContext::MD_nontemporal, LLVMContext::MD_fpmath});
}

int scythe_llvm_has_nsw(LLVMValueRef instruction) {
  auto *i = unwrap<Instruction>(instruction);
  if (auto *o = dyn_cast<OverflowingBinaryOperator>(i))
    return o->hasNoSignedWrap();
  auto *t = dyn_cast<TruncInst>(i);
  return t && t->hasNoSignedWrap();
}

int scythe_llvm_has_nuw(LLVMValueRef instruction) {
  auto *i = unwrap<Instruction>(instruction);
  if (auto *o = dyn_cast<OverflowingBinaryOperator>(i))
    return o->hasNoUnsignedWrap();
  auto *t = dyn_cast<TruncInst>(i);
  return t && t->hasNoUnsignedWrap();
}

int scythe_llvm_is_disjoint(LLVMValueRef instruction) {
  auto *o = dyn_cast<PossiblyDisjointInst>(unwrap(instruction));
  return o && o->isDisjoint();
}

int scythe_llvm_touches_memory(LLVMValueRef instruction) {
  return unwrap<Instruction>(instruction)->mayReadOrWriteMemory();
}

int scythe_llvm_is_atomic(LLVMValueRef instruction) {
  return unwrap<Instruction>(instruction)->isAtomic();
}

int scythe_llvm_is_volatile(LLVMValueRef instruction) {
  return unwrap<Instruction>(instruction)->isVolatile();
}

// Returns whether the function neither reads nor writes memory, and always returns.
int scythe_llvm_only_computes(LLVMValueRef function) {
  auto *f = unwrap<Function>(function);
  return f->doesNotAccessMemory() && f->doesNotThrow() && f->willReturn() && !f->isConvergent();
}

unsigned scythe_llvm_alignment(LLVMValueRef instruction) {
  auto *i = unwrap<Instruction>(instruction);
  if (auto *l = dyn_cast<LoadInst>(i))
    return l->getAlign().value();
  if (auto *s = dyn_cast<StoreInst>(i))
    return s->getAlign().value();
  if (auto *a = dyn_cast<AllocaInst>(i))
    return a->getAlign().value();
  return 1;
}

// Turns uses of a global inside constants of `function` into instructions of the function.
void scythe_llvm_expand_constant_users(LLVMValueRef global, LLVMValueRef function) {
  convertUsersOfConstantsToInstructions({unwrap<Constant>(global)},
                                        function ? unwrap<Function>(function) : nullptr);
}

int scythe_llvm_is_static_alloca(LLVMValueRef instruction) {
  auto *a = dyn_cast<AllocaInst>(unwrap(instruction));
  return a && a->isStaticAlloca();
}
}
