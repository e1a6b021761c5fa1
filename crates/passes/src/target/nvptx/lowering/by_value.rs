//! Makes callers copy objects that are passed by value.
//!
//! LLVM assumes that a by-value object is in the parameter memory of the callee, and reads it with
//! instructions for that memory. If the callee is inlined into a kernel and only reads the object,
//! the copy disappears, and these instructions would read the kernel's own parameter, which is in
//! other memory. The optimiser removes an explicit copy by the same rules as any other copy.

use scythe_llvm::{Instruction, Module, Opcode, Place};

/// Changes all functions except kernels, and all calls.
pub fn run(module: &Module<'_>) {
    let kernels = module.kernels();
    let functions: Vec<_> = module.functions().filter(|f| !kernels.contains(f)).collect();
    for function in &functions {
        for index in 0..function.param_count() as u32 {
            function.remove_enum_attribute(Place::Param(index), "byval");
        }
    }
    let defined = module.functions().filter(|f| !f.is_declaration());
    let calls: Vec<_> = defined
        .flat_map(|f| {
            f.instructions().filter(|i| i.opcode() == Opcode::LLVMCall).collect::<Vec<_>>()
        })
        .collect();
    calls.into_iter().for_each(|call| copy_arguments(module, call));
}

fn copy_arguments<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>) {
    for (index, arg) in call.args().into_iter().enumerate() {
        let place = Place::Param(index as u32);
        let Some(ty) =
            call.call_enum_attribute(place, "byval").and_then(|byval| byval.type_value())
        else {
            continue;
        };
        let entry = call
            .function()
            .and_then(|f| f.entry_block())
            .and_then(|block| block.instructions().next());
        let (Some(first), Some(size)) = (entry, ty.alloc_size(module)) else { continue };
        let builder = module.context().create_builder();
        builder.position_before(first);
        let copy = builder.alloca(ty, "by.value");
        let align = call.call_alignment(index as u32).unwrap_or(1);
        copy.set_align(align.max(copy.alignment()));
        builder.position_before(call);
        builder.memcpy(copy.as_value(), align, arg, align, module.context().const_int(64, size));
        call.set_operand(index as u32, copy.as_value());
        call.remove_call_enum_attribute(place, "byval");
        call.clear_tail();
    }
}
