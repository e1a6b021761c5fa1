//! Variables in local memory: one per work-group. A work-group runs on one thread, inside one call of the work-group function, so
//! each becomes an allocation of that function.
//!
//! Device code declares such variables as globals in [`LOCAL`], or asks for them with calls of
//! `void *__scythe_group_local_memory(size_t bytes, size_t align)`, each of which stands for a variable of its own.

use super::error::CpuError;
use super::memory_regions::Bounds;
use scythe_llvm::{Function, GlobalVariable, Instruction, Module, Opcode};

/// The name of the function that stands for a variable.
const GROUP_LOCAL_MEMORY: &str = "__scythe_group_local_memory";

/// Local memory's address space in device code.
pub const LOCAL: u32 = 3;

/// Makes a variable for each call of [`GROUP_LOCAL_MEMORY`].
pub fn declare(module: &Module<'_>) -> Result<(), CpuError> {
    let Some(asked) = module.function(GROUP_LOCAL_MEMORY) else { return Ok(()) };
    let context = module.context();
    let builder = context.create_builder();
    for call in asked.users().into_iter().filter_map(|user| user.as_instruction()) {
        let constant = |n: usize| call.args().get(n).and_then(|v| v.const_int_value());
        let (Some(bytes), Some(align)) = (constant(0), constant(1).and_then(|a| u32::try_from(a).ok())) else {
            let kernel = call.function().map_or_else(String::new, |f| f.name());
            let why = "it asks for group-local memory of a size that is not a constant".to_owned();
            return Err(CpuError::Unsuitable { kernel, why });
        };
        let variable = module.add_global("group.local", context.int_type(8).array(bytes), LOCAL);
        variable.set_initializer(Some(variable.value_type().undef()));
        variable.set_align(align);
        builder.position_before(call);
        let address = builder.addr_space_cast(variable.as_value(), call.ty(), "");
        call.replace_all_uses_with(address);
        call.erase();
    }
    Ok(())
}

/// What the stack aligns variables to, at least.
const ALIGN: u32 = 64;

/// Gives `function` its own copy of every local variable that it uses. All code that uses them has been inlined.
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

/// The same with all variables in one piece, whose bounds come back; `None` where there is no variable.
pub fn place_together<'ctx>(module: &Module<'ctx>, function: Function<'ctx>) -> Option<Bounds<'ctx>> {
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
    let first = builder.cast(Opcode::LLVMPtrToInt, memory.as_value(), context.int_type(64), "local.first");
    for ((variable, users), offset) in variables.into_iter().zip(offsets) {
        let address = builder.byte_offset(context, memory.as_value(), offset, "");
        let address = builder.addr_space_cast(address, variable.ty(), "");
        for user in users {
            variable.as_value().replace_uses_in(user.as_value(), address);
        }
    }
    Some([first, context.const_int(64, bytes)])
}

/// The local variables that `function` uses, each with the instructions that do.
fn used<'ctx>(module: &Module<'ctx>, function: Function<'ctx>) -> Vec<(GlobalVariable<'ctx>, Vec<Instruction<'ctx>>)> {
    let mut found = Vec::new();
    for variable in module.globals().filter(|g| g.address_space() == LOCAL) {
        variable.as_value().expand_constant_users(function);
        let users: Vec<_> = variable.users().into_iter().filter_map(|u| u.as_instruction()).collect();
        let users: Vec<_> = users.into_iter().filter(|u| u.function() == Some(function)).collect();
        if !users.is_empty() {
            found.push((variable, users));
        }
    }
    found
}
