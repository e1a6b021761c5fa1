//! Marks the memory accesses of a kernel that no other work-item of the same call can depend on.
//!
//! Work-items of one kernel may not race on memory, so accesses to memory that they share carry no dependence from one
//! iteration of the work-item loop to the next: they get the loop's access group, and the vectoriser needs no alias
//! checks. Private memory is different. An `alloca` of the inlined kernel is one piece of stack that every iteration
//! uses anew, so iterations *do* depend on each other through it: accesses that may go there get no mark.

use scythe_llvm::{Function, Instruction, Metadata, Opcode, Place, Value};
use std::collections::HashSet;

/// Gives every access of `kernel` to shared memory the access group `group`. Runs before the kernel is inlined.
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

/// The addresses that a load, a store, or a block transfer goes to; none for all else.
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

/// For a call of a memory transfer intrinsic, how many pointers it begins with.
pub(super) fn transfer(call: Instruction<'_>) -> Option<usize> {
    let name = call.called_function().filter(|f| f.is_intrinsic())?.name();
    let is = |prefix: &str| name.starts_with(prefix);
    if is("llvm.memcpy.") || is("llvm.memmove.") { Some(2) } else { is("llvm.memset.").then_some(1) }
}

/// True when the address is surely not in private memory. `hidden`: no address of private memory is stored anywhere, so
/// that what is loaded or computed from integers cannot point there.
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
                Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast | Opcode::LLVMFreeze => {
                    work.extend(instruction.operand(0));
                }
                Opcode::LLVMPHI => work.extend(instruction.incoming().into_iter().map(|(v, _)| v)),
                Opcode::LLVMSelect => work.extend(instruction.operands().skip(1)),
                _ if !hidden => return false,
                _ => {}
            }
        }
        // Constants (globals and what is computed from them) are shared.
    }
    true
}

/// What an address is computed from, through plain address arithmetic; `None` where that is not one value.
pub(super) fn base(pointer: Value<'_>) -> Option<Value<'_>> {
    let mut value = pointer;
    loop {
        let Some(instruction) = value.as_instruction() else { return Some(value) };
        match instruction.opcode() {
            Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => {
                value = instruction.operand(0)?;
            }
            Opcode::LLVMPHI | Opcode::LLVMSelect => return None,
            _ => return Some(value),
        }
    }
}

pub(super) fn is_byval<'ctx>(kernel: Function<'ctx>, value: Value<'ctx>) -> bool {
    let index = kernel.params().into_iter().position(|p| p == value);
    index.is_some_and(|i| kernel.enum_attribute(Place::Param(i as u32), "byval").is_some())
}

/// Does the address of some private memory get where its uses can no longer be followed?
fn any_private_escapes(kernel: Function<'_>) -> bool {
    let allocas = kernel.instructions().filter(|i| i.opcode() == Opcode::LLVMAlloca).map(|i| i.as_value());
    let copies = kernel.params().into_iter().filter(|&p| is_byval(kernel, p));
    allocas.chain(copies).any(escapes)
}

/// Can `pointer`, or an address computed from it, be found by other means than following its uses?
pub(super) fn escapes(pointer: Value<'_>) -> bool {
    any_use(pointer, |user, value| match user.opcode() {
        Opcode::LLVMStore => user.operand(0) == Some(value),
        Opcode::LLVMLoad | Opcode::LLVMICmp => false,
        Opcode::LLVMCall => transfer(user).is_none() && !is_lifetime_marker(user),
        _ => true,
    })
}

/// Is memory at `pointer` only ever read, and the address itself kept nowhere?
pub fn only_read(pointer: Value<'_>) -> bool {
    !any_use(pointer, |user, value| match user.opcode() {
        Opcode::LLVMLoad | Opcode::LLVMICmp => false,
        // A transfer's first operand is what it writes.
        Opcode::LLVMCall if transfer(user).is_some() => user.operand(0) == Some(value),
        _ => true,
    })
}

/// Follows the uses of an address, through address arithmetic, to the instructions that do something with it; true when
/// `matters` is, for one such user and the address in it, or when a user is no instruction.
fn any_use<'ctx>(pointer: Value<'ctx>, matters: impl Fn(Instruction<'ctx>, Value<'ctx>) -> bool) -> bool {
    let mut seen = HashSet::new();
    let mut work = vec![pointer];
    while let Some(value) = work.pop() {
        for user in value.users() {
            let Some(user) = user.as_instruction() else { return true };
            let computes_address = matches!(
                user.opcode(),
                Opcode::LLVMGetElementPtr
                    | Opcode::LLVMAddrSpaceCast
                    | Opcode::LLVMBitCast
                    | Opcode::LLVMFreeze
                    | Opcode::LLVMPHI
                    | Opcode::LLVMSelect
            );
            if !computes_address {
                if matters(user, value) {
                    return true;
                }
            } else if seen.insert(user) {
                work.push(user.as_value());
            }
        }
    }
    false
}

pub(super) fn is_lifetime_marker(call: Instruction<'_>) -> bool {
    call.called_function().is_some_and(|f| f.is_intrinsic() && f.name().starts_with("llvm.lifetime."))
}
