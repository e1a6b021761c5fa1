//! Variables in local memory: one instance per work-group.
//!
//! Device code declares them as globals in address space [`LOCAL`]. It can also request one with a
//! call of `void *__scythe_group_local_memory(size_t bytes, size_t align)`; each call stands for a
//! separate variable.

use scythe_llvm::Module;

/// The function that requests a local variable.
const GROUP_LOCAL_MEMORY: &str = "__scythe_group_local_memory";

/// The address space of local memory in device code.
pub const LOCAL: u32 = 3;

/// The error for a function that requests memory of non-constant size or alignment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "function '{function}' allocates {memory} memory whose size or alignment is not a constant"
)]
pub struct SizeNotConstant {
    /// The symbol of the function, as in the device module.
    pub function: String,
    /// The kind of memory.
    pub memory: &'static str,
}

/// Replaces each call of [`GROUP_LOCAL_MEMORY`] by a new variable.
pub fn declare(module: &Module<'_>) -> Result<(), SizeNotConstant> {
    let Some(asked) = module.function(GROUP_LOCAL_MEMORY) else { return Ok(()) };
    let context = module.context();
    let builder = context.create_builder();
    for call in asked.users().into_iter().filter_map(|user| user.as_instruction()) {
        let constant = |n: usize| call.args().get(n).and_then(|v| v.const_int_value());
        let (Some(bytes), Some(align)) =
            (constant(0), constant(1).and_then(|a| u32::try_from(a).ok()))
        else {
            return Err(SizeNotConstant {
                function: call.function().map_or_else(String::new, |f| f.name()),
                memory: "group-local",
            });
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
