//! Uses 32 bits for pointers to shared memory, like nvcc. These pointers need half the registers,
//! and their arithmetic is one step in hardware.
//!
//! Device code was compiled with 64 bits for these pointers. The difference is invisible unless
//! memory contains such a pointer, because objects would change size. Almost all code holds them
//! only in registers.

use crate::target::common::local_variables::LOCAL;
use crate::target::nvptx::NvptxError;
use scythe_llvm::{Instruction, Module, Opcode, PassOptions, TargetMachine, Type, run_passes};

/// Changes the module to the layout of `short`, and returns that machine. Returns `machine` if the
/// module must not change.
pub fn shorten<'m>(
    module: &Module<'_>,
    machine: &'m TargetMachine,
    short: &'m TargetMachine,
) -> Result<&'m TargetMachine, NvptxError> {
    // Variables of functions become registers, and the address spaces of pointers become known from
    // their uses.
    run_passes(
        module,
        "function(sroa,infer-address-spaces)",
        Some(machine),
        PassOptions::default(),
    )?;
    if in_memory(module) {
        return Ok(machine);
    }
    short.apply_to(module);
    Ok(short)
}

/// Whether an object in memory is or contains a pointer to shared memory.
fn in_memory(module: &Module<'_>) -> bool {
    let variables = module.globals().any(|variable| holds_pointer(variable.value_type()));
    let defined = module.functions().filter(|f| !f.is_declaration());
    variables || defined.into_iter().any(|f| f.instructions().any(touches_pointer))
}

fn touches_pointer(instruction: Instruction<'_>) -> bool {
    match instruction.opcode() {
        Opcode::LLVMAlloca => instruction.allocated_type().is_none_or(holds_pointer),
        Opcode::LLVMGetElementPtr => instruction.gep_source_type().is_none_or(holds_pointer),
        Opcode::LLVMStore => instruction.operand(0).is_none_or(|value| holds_pointer(value.ty())),
        Opcode::LLVMLoad | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
            holds_pointer(instruction.ty())
        }
        // Direct arguments are passed as pointers of either size. Variable arguments and by-value
        // blocks are passed in memory.
        _ => false,
    }
}

fn holds_pointer(ty: Type<'_>) -> bool {
    ty.address_space() == Some(LOCAL) || ty.contained().into_iter().any(holds_pointer)
}
