//! Variables in local memory: one per work-group. A work-group runs on one thread, inside one call of the work-group function, so
//! each becomes an allocation of that function.

use scythe_llvm::{Function, Module};

/// Local memory's address space in device code.
pub const LOCAL: u32 = 3;

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
