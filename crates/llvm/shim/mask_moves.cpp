// Prevents LLVM's x86 code generator from losing the zeroes above a narrow AVX-512 mask.
//
// Instruction selection zero-extends a mask with a move between mask registers: `kmovb` clears all
// bits above the eighth. The same opcode is marked as a plain register move. The register allocator
// and copy propagation may therefore replace it by a copy, a spill or a reload of the whole
// register, which turns disabled lanes on again. The pass below runs right after instruction
// selection, when every such move is an extension (copies are still `COPY`). It replaces the move
// by an `and` of the mask with itself, which gives the same bits at the same cost but is not a
// move.
#include "mask_moves.hpp"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/TargetParser/Triple.h"

#include <array>
#include <optional>

using namespace llvm;

namespace {

struct Replacement {
  unsigned move;
  unsigned conjunction;
};

// Finds opcodes by name, because LLVM does not install the headers of its targets.
std::optional<unsigned> opcode(const TargetInstrInfo &instructions, StringRef name) {
  for (unsigned i = 0, count = instructions.getNumOpcodes(); i != count; ++i)
    if (instructions.getName(i) == name)
      return i;
  return std::nullopt;
}

class MaskMoves : public MachineFunctionPass {
public:
  static char ID;

  MaskMoves() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override {
    return "Extensions of AVX-512 masks that are not moves";
  }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override {
    if (!function.getSubtarget().checkFeatures("+avx512f"))
      return false;
    const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : block)
        for (const Replacement &replacement : replacements(instructions))
          if (instruction.getOpcode() == replacement.move)
            changed |= replace(function, instruction, instructions.get(replacement.conjunction));
    return changed;
  }

private:
  using Table = std::array<Replacement, 6>;

  // The opcodes of one libLLVM are the same for all x86 subtargets.
  static const Table &replacements(const TargetInstrInfo &instructions) {
    static const Table table = [&] {
      const auto pair = [&](StringRef move, StringRef conjunction) {
        const std::optional<unsigned> from = opcode(instructions, move),
                                      to = opcode(instructions, conjunction);
        if (!from || !to)
          reportFatalInternalError("this LLVM has no x86 instruction '" +
                                   Twine(from ? conjunction : move) + "'");
        return Replacement{*from, *to};
      };
      return Table{pair("KMOVBkk", "KANDBkk"),      pair("KMOVWkk", "KANDWkk"),
                   pair("KMOVDkk", "KANDDkk"),      pair("KMOVBkk_EVEX", "KANDBkk"),
                   pair("KMOVWkk_EVEX", "KANDWkk"), pair("KMOVDkk_EVEX", "KANDDkk")};
    }();
    return table;
  }

  static bool replace(MachineFunction &function, MachineInstr &move,
                      const MCInstrDesc &conjunction) {
    MachineOperand &mask = move.getOperand(1);
    mask.setIsKill(false);
    move.setDesc(conjunction);
    move.addOperand(function, MachineOperand::CreateReg(mask.getReg(), /*isDef=*/false));
    return true;
  }
};

char MaskMoves::ID = 0;

} // namespace

void scythe_llvm_extend_masks() {
  static const RegisterTargetPassConfigCallback callback(
      [](TargetMachine &machine, PassManagerBase &, TargetPassConfig *config) {
        if (machine.getTargetTriple().getArch() == Triple::x86_64)
          config->insertPass(&FinalizeISelID, new MaskMoves);
      });
}
