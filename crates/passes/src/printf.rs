//! `printf` in kernels, under the names that device code calls it by: the C library's, and SPIR-V's, which the headers use.
//!
//! Each back end makes of the calls what its devices have; [`to_c_library`] makes all of them calls of the C library's, for code
//! that runs in a process.

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
pub fn promoted<'ctx>(context: ContextRef<'ctx>, builder: &Builder<'ctx>, value: Value<'ctx>) -> Value<'ctx> {
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

/// Makes all calls ones of the C library's function.
pub fn to_c_library(module: &Module<'_>) {
    let (context, calls) = (module.context(), calls(module));
    if calls.is_empty() {
        return;
    }
    // A declaration by the program has pointers of another address space.
    if let Some(declared) = module.function(NAME) {
        declared.as_value().set_name("printf.declared");
    }
    let ty = context.int_type(32).function(&[context.ptr_type(0)], true);
    let function = module.add_function(NAME, ty);
    let builder = context.create_builder();
    for call in calls {
        builder.position_before(call);
        let args: Vec<_> = call.args().into_iter().map(|value| promoted(context, &builder, value)).collect();
        let made = builder.call(function, &args, "");
        call.replace_all_uses_with(made.as_value());
        call.erase();
    }
}
