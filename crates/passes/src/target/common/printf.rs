//! `printf` in kernels. Device code calls it by two names: that of the C library, and that of
//! SPIR-V, which the headers use.
//!
//! Each target replaces the calls by a mechanism of its devices: see `printf.rs` in the target's
//! folder.

use scythe_llvm::{Builder, ContextRef, Instruction, Module, TypeKind, Value};

/// The name in the C library.
pub const NAME: &str = "printf";
/// The prefix of the mangled SPIR-V name. The types of the arguments follow it.
const SPIRV: &str = "_Z18__spirv_ocl_printf";

/// Whether device code calls `printf` by this name.
pub fn is_printf(symbol: &str) -> bool {
    symbol == NAME || symbol.starts_with(SPIRV)
}

/// Returns all calls of `printf`.
pub fn calls<'ctx>(module: &Module<'ctx>) -> Vec<Instruction<'ctx>> {
    let declared = module.functions().filter(|f| f.is_declaration() && is_printf(&f.name()));
    let calls = declared.flat_map(|function| {
        let users = function.users().into_iter().filter_map(|user| user.as_instruction());
        users.filter(move |call| call.called_function() == Some(function)).collect::<Vec<_>>()
    });
    calls.collect()
}

/// Applies C's default promotions to an argument after the format, if the front end has not applied
/// them.
pub fn promoted<'ctx>(
    context: ContextRef<'ctx>,
    builder: &Builder<'ctx>,
    value: Value<'ctx>,
) -> Value<'ctx> {
    match (value.ty().kind(), value.ty().int_width()) {
        (TypeKind::LLVMFloatTypeKind | TypeKind::LLVMHalfTypeKind, _) => {
            builder.fp_ext(value, context.double_type(), "")
        }
        (_, Some(1..32)) => builder.zext(value, context.int_type(32), ""),
        (TypeKind::LLVMPointerTypeKind, _) if value.ty() != context.ptr_type(0) => {
            builder.addr_space_cast(value, context.ptr_type(0), "")
        }
        _ => value,
    }
}
