//! Variables in local memory: one per work-group. A work-group runs on one thread, inside one call of the work-group function, so
//! each becomes an allocation of that function.
//!
//! Device code declares such variables as globals in [`LOCAL`], or asks for them with calls of
//! `void *__scythe_group_local_memory(size_t bytes, size_t align)`, each of which stands for a variable of its own.

use super::error::CpuError;
use scythe_llvm::{Function, Module};

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

/// Gives `function` its own copy of every local variable that it uses. All code that uses them has been inlined.
pub fn place<'ctx>(module: &Module<'ctx>, function: Function<'ctx>) {
    let Some(entry) = function.entry_block() else { return };
    let builder = module.context().create_builder();
    for variable in module.globals().filter(|g| g.address_space() == LOCAL) {
        variable.as_value().expand_constant_users(function);
        let users: Vec<_> = variable.users().into_iter().filter_map(|u| u.as_instruction()).collect();
        let users: Vec<_> = users.into_iter().filter(|u| u.function() == Some(function)).collect();
        if users.is_empty() {
            continue;
        }
        builder.position_at_start(entry);
        let memory = builder.alloca(variable.value_type(), "local");
        memory.set_align(variable.align().max(64));
        let address = builder.addr_space_cast(memory.as_value(), variable.ty(), "");
        for user in users {
            variable.as_value().replace_uses_in(user.as_value(), address);
        }
    }
}
