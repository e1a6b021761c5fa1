// LLVM's own uniformity analysis, with sources of divergence that the caller specifies.
// `src/uniformity.rs` declares every function below.
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

// A target whose threads diverge at the instructions that the caller specifies.
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

// Analyses each instruction, in the function's order. `divergent` gets 1 if the result of the
// instruction, or the successor that a terminator selects, may differ between threads. `known`
// holds, in the same order, 0 if the uniformity follows from the operands, 1 if the result always
// differs, and 2 if it never differs. Both arrays have `count` entries, the number of instructions.
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
