//! `printf` in kernels. Device code calls it by two names: the C library's, and SPIR-V's, which the
//! headers use.
//!
//! Each target replaces the calls by what its devices have: see `printf.rs` in the target's folder.

use scythe_llvm::{Builder, ContextRef, Instruction, Module, TypeKind, Value};

/// The C library's name.
pub const NAME: &str = "printf";
/// What SPIR-V's name begins with, once it is mangled for its arguments.
const SPIRV: &str = "_Z18__spirv_ocl_printf";

/// Whether device code calls `printf` by this name.
pub fn is_printf(symbol: &str) -> bool {
    symbol == NAME || symbol.starts_with(SPIRV)
}

/// All calls of it.
pub fn calls<'ctx>(module: &Module<'ctx>) -> Vec<Instruction<'ctx>> {
    let declared = module.functions().filter(|f| f.is_declaration() && is_printf(&f.name()));
    let calls = declared.flat_map(|function| {
        let users = function.users().into_iter().filter_map(|user| user.as_instruction());
        users.filter(move |call| call.called_function() == Some(function)).collect::<Vec<_>>()
    });
    calls.collect()
}

/// What C makes of an argument after the format, where the front end has not.
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
