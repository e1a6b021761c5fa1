//! Allocates variables in local memory, which exist once per work-group.
//!
//! A work-group runs on one thread, inside one call of its work-group function. Each variable
//! therefore becomes an allocation of that function.

use crate::target::common::local_variables::LOCAL;
use crate::target::cpu::address_spaces::Bounds;
use scythe_llvm::{Function, GlobalVariable, Instruction, Module, Opcode};

/// The minimum alignment of the allocations on the stack.
const ALIGN: u32 = 64;

/// Gives `function` its own copy of every local variable that it uses. All code that uses these
/// variables must already be inlined.
pub fn place<'ctx>(module: &Module<'ctx>, function: Function<'ctx>) {
    let Some(entry) = function.entry_block() else { return };
    let builder = module.context().create_builder();
    for (variable, users) in used(module, function) {
        builder.position_at_start(entry);
        let memory = builder.alloca(variable.value_type(), "local");
        memory.set_align(variable.align().max(ALIGN));
        let address = builder.addr_space_cast(memory.as_value(), variable.ty(), "");
        for user in users {
            variable.as_value().replace_uses_in(user.as_value(), address);
        }
    }
}

/// Does the same with all variables in one allocation. Returns the bounds of the allocation, or
/// `None` if the function uses no local variable.
pub fn place_together<'ctx>(
    module: &Module<'ctx>,
    function: Function<'ctx>,
) -> Option<Bounds<'ctx>> {
    let (context, entry) = (module.context(), function.entry_block()?);
    let builder = context.create_builder();
    let variables = used(module, function);
    let (mut bytes, mut align) = (0u64, ALIGN);
    let mut offsets = Vec::with_capacity(variables.len());
    for (variable, _) in &variables {
        let own = variable.align().max(ALIGN);
        align = align.max(own);
        bytes = bytes.checked_next_multiple_of(u64::from(own)).unwrap_or(bytes);
        offsets.push(bytes);
        bytes = bytes.saturating_add(variable.value_type().alloc_size(module).unwrap_or(0));
    }
    if variables.is_empty() {
        return None;
    }
    builder.position_at_start(entry);
    let memory = builder.alloca(context.int_type(8).array(bytes), "local");
    memory.set_align(align);
    let first =
        builder.cast(Opcode::LLVMPtrToInt, memory.as_value(), context.int_type(64), "local.first");
    for ((variable, users), offset) in variables.into_iter().zip(offsets) {
        let address = builder.byte_offset(context, memory.as_value(), offset, "");
        let address = builder.addr_space_cast(address, variable.ty(), "");
        for user in users {
            variable.as_value().replace_uses_in(user.as_value(), address);
        }
    }
    Some([first, context.const_int(64, bytes)])
}

/// Returns the total size of the local variables that `function` uses.
pub fn size<'ctx>(module: &Module<'ctx>, function: Function<'ctx>) -> u64 {
    let sizes = used(module, function).into_iter();
    sizes.map(|(variable, _)| variable.value_type().alloc_size(module).unwrap_or(0)).sum()
}

/// Returns the local variables that `function` uses, each with the instructions that use it.
fn used<'ctx>(
    module: &Module<'ctx>,
    function: Function<'ctx>,
) -> Vec<(GlobalVariable<'ctx>, Vec<Instruction<'ctx>>)> {
    let mut found = Vec::new();
    for variable in module.globals().filter(|g| g.address_space() == LOCAL) {
        variable.as_value().expand_constant_users(function);
        let users: Vec<_> =
            variable.users().into_iter().filter_map(|u| u.as_instruction()).collect();
        let users: Vec<_> = users.into_iter().filter(|u| u.function() == Some(function)).collect();
        if !users.is_empty() {
            found.push((variable, users));
        }
    }
    found
}
