//! Copies small blocks with an alignment of 16 bytes, such as a `float4` from global to local
//! memory, in accesses of 16 bytes. LLVM would access 8 bytes at a time.
//!
//! The pass runs after optimisation: the optimiser handles the copy of an object better than its
//! bytes.

use scythe_llvm::{Instruction, Module};

const BLOCK: u64 = 16;
/// The maximum size of a copy that is replaced. LLVM emits loops for longer copies.
const LIMIT: u64 = 8 * BLOCK;

/// Replaces small aligned copies in all functions.
pub fn run(module: &Module<'_>) {
    let copies: Vec<_> =
        module.functions().filter(|f| f.name().starts_with("llvm.memcpy.")).collect();
    for call in copies.iter().flat_map(|copy| copy.users()).filter_map(|user| user.as_instruction())
    {
        replace(module, call);
    }
}

fn replace<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>) {
    let args = call.args();
    let [to, from, size, volatile] = args[..] else { return };
    let aligned = |place| call.call_alignment(place).is_some_and(|align| u64::from(align) >= BLOCK);
    let whole = |size: &u64| *size > 0 && *size <= LIMIT && size.is_multiple_of(BLOCK);
    let Some(size) = size.const_int_value().filter(whole) else { return };
    if !aligned(0) || !aligned(1) || volatile.const_int_value() != Some(0) {
        return;
    }
    let context = module.context();
    let builder = context.create_builder();
    builder.position_before(call);
    let block = context.int_type(32).vector(4);
    // All loads come before all stores, because the source and the destination may be the same.
    let blocks: Vec<_> = (0..size / BLOCK)
        .map(|index| {
            let place = builder.byte_offset(context, from, index * BLOCK, "");
            let load = builder.load(block, place, "");
            load.set_align(BLOCK as u32);
            load.as_value()
        })
        .collect();
    for (index, value) in blocks.into_iter().enumerate() {
        let place = builder.byte_offset(context, to, index as u64 * BLOCK, "");
        builder.store(value, place).set_align(BLOCK as u32);
    }
    call.erase();
}
