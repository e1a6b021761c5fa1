//! Aligns variables of functions so that neighbouring elements can be accessed together.
//!
//! An array of `float` has an alignment of 4 bytes, and accesses of 8 or 16 bytes need more. The
//! stack of a work-item is in the slowest memory of a GPU, so fewer accesses matter there.
//!
//! LLVM does not see the alignment of a variable through the cast to its address space, so
//! [`align_accesses`] writes it to the loads and stores, from which LLVM joins neighbours.

use scythe_llvm::{Instruction, Module, Opcode, Value};

/// The longest access of a GPU.
const LONGEST: u64 = 16;

/// Aligns variables to 16 bytes, or to 8 or 4 bytes if they are smaller.
pub fn align(module: &Module<'_>) {
    for function in module.functions().filter(|f| !f.is_declaration()) {
        let variables = function.instructions().filter(|i| i.is_static_alloca() && !is_copy(*i));
        for variable in variables {
            let Some(size) = variable.allocated_type().and_then(|ty| ty.alloc_size(module)) else {
                continue;
            };
            let wanted = [LONGEST, 8, 4].into_iter().find(|align| size >= *align).unwrap_or(1);
            if u64::from(variable.alignment()) < wanted {
                variable.set_align(wanted as u32);
            }
        }
    }
}

/// Whether the variable may be a copy of an object. The optimiser can use the object in its place
/// only if the object is aligned as much as the variable.
fn is_copy(variable: Instruction<'_>) -> bool {
    let users = variable.as_value().users();
    let mut calls = users.into_iter().filter_map(|user| user.as_instruction()?.called_function());
    calls.any(|callee| {
        ["llvm.memcpy.", "llvm.memmove."].iter().any(|name| callee.name().starts_with(name))
    })
}

/// Raises the alignment of accesses to variables, after optimisation.
pub fn align_accesses(module: &Module<'_>) {
    for function in module.functions().filter(|f| !f.is_declaration()) {
        for access in function.instructions() {
            let pointer = match access.opcode() {
                Opcode::LLVMLoad => access.operand(0),
                Opcode::LLVMStore => access.operand(1),
                _ => None,
            };
            let known = pointer.and_then(|pointer| alignment_of(module, pointer, DEPTH));
            if let Some(known) = known.filter(|known| *known > u64::from(access.alignment())) {
                access.set_align(known.min(LONGEST) as u32);
            }
        }
    }
}

/// How many instructions of an address are followed.
const DEPTH: u32 = 12;

/// The alignment of a pointer into a variable.
pub fn alignment_of(module: &Module<'_>, pointer: Value<'_>, depth: u32) -> Option<u64> {
    let at = pointer.as_instruction().filter(|_| depth > 0)?;
    match at.opcode() {
        Opcode::LLVMAlloca => Some(at.alignment().into()),
        Opcode::LLVMAddrSpaceCast => alignment_of(module, at.operand(0)?, depth - 1),
        Opcode::LLVMGetElementPtr => {
            let base = alignment_of(module, at.operand(0)?, depth - 1)?;
            let mut ty = at.gep_source_type()?;
            let mut known = base;
            for (position, index) in at.operands().skip(1).enumerate() {
                if position > 0 {
                    ty = ty.element()?;
                }
                let size = power_of_two(ty.alloc_size(module)?);
                known = known.min(size.saturating_mul(factor(index, &mut Vec::new(), depth - 1)));
            }
            Some(known)
        }
        _ => None,
    }
}

/// The largest power of two that divides the number, up to 2^32.
fn power_of_two(number: u64) -> u64 {
    1 << number.trailing_zeros().min(32)
}

/// A power of two that divides the value. `phis` are the loop variables that are being examined:
/// what divides the first value and each change of a loop variable divides the variable.
fn factor<'ctx>(value: Value<'ctx>, phis: &mut Vec<Value<'ctx>>, depth: u32) -> u64 {
    const ANY: u64 = 1 << 32;
    if let Some(number) = value.const_int_value() {
        return power_of_two(number);
    }
    let Some(instruction) = value.as_instruction().filter(|_| depth > 0) else { return 1 };
    if phis.contains(&value) {
        return ANY;
    }
    let mut of = |index| instruction.operand(index).map_or(1, |v| factor(v, phis, depth - 1));
    match instruction.opcode() {
        Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc => of(0),
        Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMOr | Opcode::LLVMXor => of(0).min(of(1)),
        Opcode::LLVMAnd => of(0).max(of(1)),
        Opcode::LLVMMul => of(0).saturating_mul(of(1)).min(ANY),
        Opcode::LLVMSelect => of(1).min(of(2)),
        Opcode::LLVMShl => {
            let distance = instruction.operand(1).and_then(|by| by.const_int_value()).unwrap_or(0);
            (of(0) << distance.min(32)).min(ANY)
        }
        Opcode::LLVMPHI => {
            phis.push(value);
            let incoming = instruction.incoming().into_iter();
            let known = incoming.map(|(v, _)| factor(v, phis, depth - 1)).min().unwrap_or(1);
            phis.pop();
            known
        }
        _ => 1,
    }
}
