//! `printf` in kernels: CUDA's driver has `vprintf`, which takes the arguments in memory, each at a multiple of its size.

use scythe_llvm::{Instruction, Module, TypeKind, Value};

/// The names that device code calls it by.
const NAMES: [&str; 2] = ["printf", "_Z18__spirv_ocl_printf"];

/// Replaces all calls of `printf`.
pub fn run(module: &Module<'_>) {
    let is_printf = |name: &str| name == NAMES[0] || name.starts_with(NAMES[1]);
    for function in module.functions().filter(|f| f.is_declaration() && is_printf(&f.name())).collect::<Vec<_>>() {
        for call in function.users().into_iter().filter_map(|user| user.as_instruction()) {
            if call.called_function() == Some(function) {
                replace(module, call);
            }
        }
    }
}

fn replace<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>) {
    let context = module.context();
    let (pointer, i32) = (context.ptr_type(0), context.int_type(32));
    let args = call.args();
    let Some(format) = args.first().copied() else { return };
    let builder = context.create_builder();
    builder.position_before(call);
    let values: Vec<Value<'ctx>> = args[1..].iter().map(|value| promoted(module, &builder, *value)).collect();
    let types: Vec<_> = values.iter().map(|value| value.ty()).collect();
    let block = context.struct_type(&types, false);
    let memory = if values.is_empty() {
        pointer.const_null()
    } else {
        let entry = call.function().and_then(|f| f.entry_block());
        let start = context.create_builder();
        match entry {
            Some(entry) => start.position_at_start(entry),
            None => start.position_before(call),
        }
        let memory = start.alloca(block, "printf.arguments").as_value();
        for (index, value) in values.iter().enumerate() {
            let place = builder.gep(block, memory, &[i32.const_int(0), i32.const_int(index as u64)], "");
            builder.store(*value, place);
        }
        memory
    };
    let format = if format.ty() == pointer { format } else { builder.addr_space_cast(format, pointer, "") };
    let vprintf = module.get_or_add_function("vprintf", i32.function(&[pointer, pointer], false));
    let result = builder.call(vprintf, &[format, memory], "");
    call.replace_all_uses_with(result.as_value());
    call.erase();
}

/// What C makes of an argument after the format, where the front end has not.
fn promoted<'ctx>(module: &Module<'ctx>, builder: &scythe_llvm::Builder<'ctx>, value: Value<'ctx>) -> Value<'ctx> {
    let context = module.context();
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
