//! Marks the memory accesses of a kernel that other work-items of the same call cannot depend on.
//!
//! Work-items of one kernel must not race on memory, so accesses to memory that they share carry no
//! dependence from one iteration of the work-item loop to the next. These accesses get the loop's
//! access group, and the vectoriser needs no alias checks. Private memory is different. An `alloca`
//! of the inlined kernel is one piece of stack that every iteration reuses, so iterations *do*
//! depend on each other through it: accesses that may go there are not marked.

use crate::target::common::pointers::{escapes, is_byval, transfer};
use scythe_llvm::{Function, Instruction, Metadata, Opcode, Value};
use std::collections::HashSet;

/// Adds the access group `group` to every access of `kernel` to shared memory. Must run before the
/// kernel is inlined.
pub fn mark<'ctx>(kernel: Function<'ctx>, group: Metadata<'ctx>) {
    let kind = kernel.ty().context().metadata_kind("llvm.access.group");
    let hidden = !any_private_escapes(kernel);
    for instruction in kernel.instructions() {
        let pointers = accessed(instruction);
        if !pointers.is_empty() && pointers.iter().all(|&p| is_shared(kernel, p, hidden)) {
            instruction.set_metadata(kind, Some(group));
        }
    }
}

/// Returns the addresses that a load, a store or a block transfer accesses; none for other
/// instructions.
fn accessed<'ctx>(instruction: Instruction<'ctx>) -> Vec<Value<'ctx>> {
    match instruction.opcode() {
        Opcode::LLVMLoad => instruction.operand(0).into_iter().collect(),
        Opcode::LLVMStore => instruction.operand(1).into_iter().collect(),
        Opcode::LLVMCall => match transfer(instruction) {
            Some(pointers) => instruction.args().into_iter().take(pointers).collect(),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Whether the address is definitely not in private memory. `hidden` says that no address of
/// private memory is stored anywhere, so that loaded pointers and pointers computed from integers
/// cannot point there.
fn is_shared<'ctx>(kernel: Function<'ctx>, pointer: Value<'ctx>, hidden: bool) -> bool {
    let mut seen = HashSet::new();
    let mut work = vec![pointer];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        if value.is_argument() {
            // The inliner gives each call its own copy of a `byval` argument.
            if is_byval(kernel, value) {
                return false;
            }
        } else if let Some(instruction) = value.as_instruction() {
            match instruction.opcode() {
                Opcode::LLVMAlloca => return false,
                Opcode::LLVMGetElementPtr
                | Opcode::LLVMAddrSpaceCast
                | Opcode::LLVMBitCast
                | Opcode::LLVMFreeze => {
                    work.extend(instruction.operand(0));
                }
                Opcode::LLVMPHI => work.extend(instruction.incoming().into_iter().map(|(v, _)| v)),
                Opcode::LLVMSelect => work.extend(instruction.operands().skip(1)),
                _ if !hidden => return false,
                _ => {}
            }
        }
        // Constants (globals, and addresses computed from them) are shared.
    }
    true
}

/// Whether the address of any private memory escapes, so that its uses cannot be followed.
fn any_private_escapes(kernel: Function<'_>) -> bool {
    let allocas =
        kernel.instructions().filter(|i| i.opcode() == Opcode::LLVMAlloca).map(|i| i.as_value());
    let copies = kernel.params().into_iter().filter(|&p| is_byval(kernel, p));
    allocas.chain(copies).any(escapes)
}
