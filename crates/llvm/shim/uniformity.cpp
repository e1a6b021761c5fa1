// LLVM's own analysis of what differs between threads that run together, with sources that the
// caller names. `src/uniformity.rs` declares every function below.
#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;

namespace {

// A target whose threads diverge where the caller says so.
class NamedSources final : public TargetTransformInfoImplBase {
public:
  NamedSources(const DataLayout &layout,
               const DenseMap<const Value *, InstructionUniformity> &known)
      : TargetTransformInfoImplBase(layout), known(known) {}
  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity getInstructionUniformity(const Value *v) const override {
    auto found = known.find(v);
    return found == known.end() ? InstructionUniformity::Default : found->second;
  }

private:
  const DenseMap<const Value *, InstructionUniformity> &known;
};

} // namespace

extern "C" {

// Of each instruction, in the function's order: `divergent` gets 1 if its result, or of a
// terminator the way it takes, may differ between threads. `known` holds, in the same order, 0 for
// what follows from the operands, 1 for what always differs, and 2 for what never does. Both have
// `count` entries, as many as instructions.
void scythe_llvm_uniformity(LLVMValueRef function, const unsigned char *known,
                            unsigned char *divergent, size_t count) {
  auto &f = *unwrap<Function>(function);
  DenseMap<const Value *, InstructionUniformity> facts;
  size_t n = 0;
  for (auto &i : instructions(f)) {
    if (n < count && known[n])
      facts[&i] = known[n] == 1 ? InstructionUniformity::NeverUniform
                                : InstructionUniformity::AlwaysUniform;
    ++n;
  }
  auto target = [&](const Function &) {
    return TargetTransformInfo(
        std::make_unique<NamedSources>(f.getParent()->getDataLayout(), facts));
  };
  FunctionAnalysisManager analyses;
  analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  analyses.registerPass([&] { return TargetIRAnalysis(target); });
  analyses.registerPass([] { return DominatorTreeAnalysis(); });
  analyses.registerPass([] { return CycleAnalysis(); });
  analyses.registerPass([] { return UniformityInfoAnalysis(); });
  auto &uniformity = analyses.getResult<UniformityInfoAnalysis>(f);
  n = 0;
  for (auto &i : instructions(f)) {
    if (n == count)
      return;
    bool differs = i.isTerminator() ? uniformity.hasDivergentTerminator(*i.getParent())
                                    : uniformity.isDivergent(&i);
    divergent[n++] = differs;
  }
}
}
