//! Translates `printf` to the `vprintf` of CUDA's driver, which takes the arguments in memory, each
//! aligned to its size.

use crate::target::common::printf::{calls, promoted};
use scythe_llvm::{Instruction, Module, Value};

/// Replaces all calls of `printf`.
pub fn run(module: &Module<'_>) {
    calls(module).into_iter().for_each(|call| replace(module, call));
}

fn replace<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>) {
    let context = module.context();
    let (pointer, i32) = (context.ptr_type(0), context.int_type(32));
    let args = call.args();
    let Some(format) = args.first().copied() else { return };
    let builder = context.create_builder();
    builder.position_before(call);
    let values: Vec<Value<'ctx>> =
        args[1..].iter().map(|value| promoted(context, &builder, *value)).collect();
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
            let place =
                builder.gep(block, memory, &[i32.const_int(0), i32.const_int(index as u64)], "");
            builder.store(*value, place);
        }
        memory
    };
    let format =
        if format.ty() == pointer { format } else { builder.addr_space_cast(format, pointer, "") };
    let vprintf = module.get_or_add_function("vprintf", i32.function(&[pointer, pointer], false));
    let result = builder.call(vprintf, &[format, memory], "");
    call.replace_all_uses_with(result.as_value());
    call.erase();
}
