//! The uses of an address in a function: which memory the function accesses, and whether the
//! address escapes.

use scythe_llvm::{Function, Instruction, Opcode, Place, Value};
use std::collections::HashSet;

/// Returns the number of pointers that a memory transfer intrinsic takes as its first arguments, or
/// `None` if the call is not a memory transfer.
pub fn transfer(call: Instruction<'_>) -> Option<usize> {
    let name = call.called_function().filter(|f| f.is_intrinsic())?.name();
    let is = |prefix: &str| name.starts_with(prefix);
    if is("llvm.memcpy.") || is("llvm.memmove.") {
        Some(2)
    } else {
        is("llvm.memset.").then_some(1)
    }
}

/// Returns the value that an address is computed from through plain address arithmetic, or `None`
/// if a `phi` or `select` chooses between several values.
pub fn base(pointer: Value<'_>) -> Option<Value<'_>> {
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

/// Whether `value` is a `byval` parameter of `kernel`.
pub fn is_byval<'ctx>(kernel: Function<'ctx>, value: Value<'ctx>) -> bool {
    let index = kernel.params().into_iter().position(|p| p == value);
    index.is_some_and(|i| kernel.enum_attribute(Place::Param(i as u32), "byval").is_some())
}

/// Whether `pointer`, or an address computed from it, can be obtained in other ways than by
/// following its uses.
pub fn escapes(pointer: Value<'_>) -> bool {
    any_use(pointer, |user, value| match user.opcode() {
        Opcode::LLVMStore => user.operand(0) == Some(value),
        Opcode::LLVMLoad | Opcode::LLVMICmp => false,
        Opcode::LLVMCall => transfer(user).is_none() && !is_lifetime_marker(user),
        _ => true,
    })
}

/// Whether the memory at `pointer` is only read, and the address itself is not stored anywhere.
pub fn only_read(pointer: Value<'_>) -> bool {
    !any_use(pointer, |user, value| match user.opcode() {
        Opcode::LLVMLoad | Opcode::LLVMICmp => false,
        // The first operand of a transfer is its destination.
        Opcode::LLVMCall if transfer(user).is_some() => user.operand(0) == Some(value),
        _ => true,
    })
}

/// Follows the uses of an address, through address arithmetic, to the instructions that access
/// memory or use the address otherwise. Returns true if `matters` returns true for one of these
/// users and the address it uses, or if a user is not an instruction.
fn any_use<'ctx>(
    pointer: Value<'ctx>,
    matters: impl Fn(Instruction<'ctx>, Value<'ctx>) -> bool,
) -> bool {
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

/// Whether the call marks where the lifetime of a variable starts or ends.
pub fn is_lifetime_marker(call: Instruction<'_>) -> bool {
    call.called_function()
        .is_some_and(|f| f.is_intrinsic() && f.name().starts_with("llvm.lifetime."))
}
