//! Private memory whose size is a specialization constant (`sycl_ext_oneapi_private_alloca`).
//!
//! Device code requests it with a call of
//! `void *__scythe_private_alloca(const void *constant, size_t bytes, size_t align)`: as many
//! elements of `bytes` bytes as the specialization constant says. By the time a target lowers the
//! code, the constant has its value, so each call becomes a variable of constant size of the
//! function that contains it.

use scythe_llvm::{GlobalVariable, Instruction, Module, Value};

use super::local_variables::SizeNotConstant;

/// The function that requests private memory.
const PRIVATE_ALLOCA: &str = "__scythe_private_alloca";

/// Replaces each call of [`PRIVATE_ALLOCA`] by a variable.
pub fn declare(module: &Module<'_>) -> Result<(), SizeNotConstant> {
    let Some(asked) = module.function(PRIVATE_ALLOCA) else { return Ok(()) };
    let context = module.context();
    let builder = context.create_builder();
    for call in asked.users().into_iter().filter_map(|user| user.as_instruction()) {
        let function = call.function();
        let (Some((bytes, align)), Some(entry)) =
            (size_of(call), function.and_then(|function| function.entry_block()))
        else {
            return Err(SizeNotConstant {
                function: function.map_or_else(String::new, |f| f.name()),
                memory: "private",
            });
        };
        builder.position_at_start(entry);
        let variable = builder.alloca(context.int_type(8).array(bytes), "private");
        variable.set_align(align);
        let address = if variable.as_value().ty() == call.ty() {
            variable.as_value()
        } else {
            builder.addr_space_cast(variable.as_value(), call.ty(), "")
        };
        call.replace_all_uses_with(address);
        call.erase();
    }
    Ok(())
}

/// Returns the size and the alignment that a call requests, if they are constants. The size is a
/// multiple of the alignment, as for all types, so that variables of several work-items can follow
/// one another.
fn size_of(call: Instruction<'_>) -> Option<(u64, u32)> {
    let args = call.args();
    let constant = |n: usize| args.get(n)?.const_int_value();
    let count = value_of(args.first()?.strip_constant_casts().as_global_variable()?)?;
    let align = u32::try_from(constant(2)?).ok().filter(|align| align.is_power_of_two())?;
    let bytes = count.checked_mul(constant(1)?)?.max(1).checked_next_multiple_of(align.into())?;
    Some((bytes, align))
}

/// Returns the value of an integer constant: its default, or the bytes that the program has set.
fn value_of(variable: GlobalVariable<'_>) -> Option<u64> {
    let value: Value<'_> = variable.initializer()?;
    if let Some(value) = value.const_int_value() {
        return Some(value);
    }
    let bytes = value.const_string_value().filter(|bytes| bytes.len() <= 8)?;
    Some(bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
}
