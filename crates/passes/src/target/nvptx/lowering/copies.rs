//! Copies and fills small blocks with the longest accesses that their alignment allows. LLVM would
//! copy aligned blocks 8 bytes at a time, and larger ones byte by byte.
//!
//! The pass runs after optimisation: the optimiser handles the copy of an object better than its
//! bytes.

use super::local_arrays::alignment_of;
use scythe_llvm::{Builder, Instruction, Module, Type, Value, const_vector};

/// The longest access.
const BLOCK: u64 = 16;
/// LLVM makes loops over bytes for this many bytes and more.
const LOOP: u64 = 128;
/// The most accesses that replace a copy.
const MOST: u64 = 64;
/// The most bytes that are in registers at a time.
const IN_FLIGHT: u64 = 8 * BLOCK;

/// Replaces small copies and fills in all functions.
pub fn run(module: &Module<'_>) {
    let of = |name: &str| -> Vec<_> {
        let functions = module.functions().filter(|f| f.name().starts_with(name));
        functions.flat_map(|f| f.users()).filter_map(|user| user.as_instruction()).collect()
    };
    for call in of("llvm.memcpy.") {
        copy(module, call);
    }
    for call in of("llvm.memset.") {
        fill(module, call);
    }
}

fn copy<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>) {
    let args = call.args();
    let [to, from, size, volatile] = args[..] else { return };
    let align = alignment(module, call, 0).min(alignment(module, call, 1));
    let Some(size) = replaceable(size, volatile, align) else { return };
    let context = module.context();
    let builder = context.create_builder();
    builder.position_before(call);
    let pieces = pieces(size, align);
    let mut rest = &pieces[..];
    while let Some(&(start, _)) = rest.first() {
        let count = rest.iter().take_while(|(at, bytes)| at + bytes - start <= IN_FLIGHT).count();
        let (now, later) = rest.split_at(count);
        rest = later;
        // The source and the destination may be the same, but do not overlap otherwise.
        let values: Vec<_> = now
            .iter()
            .map(|&(at, bytes)| {
                let place = builder.byte_offset(context, from, at, "");
                let load = builder.load(access(module, bytes), place, "");
                load.set_align(bytes as u32);
                load.as_value()
            })
            .collect();
        for (&(at, bytes), value) in now.iter().zip(values) {
            store(module, &builder, value, to, at, bytes);
        }
    }
    call.erase();
}

fn fill<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>) {
    let args = call.args();
    let [to, byte, size, volatile] = args[..] else { return };
    let align = alignment(module, call, 0);
    let Some(byte) = byte.const_int_value() else { return };
    let Some(size) = replaceable(size, volatile, align) else { return };
    let builder = module.context().create_builder();
    builder.position_before(call);
    for (at, bytes) in pieces(size, align) {
        store(module, &builder, repeated(module, byte, bytes), to, at, bytes);
    }
    call.erase();
}

fn store<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    value: Value<'ctx>,
    to: Value<'ctx>,
    at: u64,
    bytes: u64,
) {
    let place = builder.byte_offset(module.context(), to, at, "");
    builder.store(value, place).set_align(bytes as u32);
}

/// The alignment of a pointer argument, up to [`BLOCK`].
fn alignment<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>, place: u32) -> u64 {
    let pointer = call.args()[place as usize];
    let told = call.call_alignment(place).map_or(1, u64::from);
    told.max(alignment_of(module, pointer, 4).unwrap_or(1)).min(BLOCK)
}

/// Returns the size of a block if the pass does better than LLVM.
fn replaceable(size: Value<'_>, volatile: Value<'_>, align: u64) -> Option<u64> {
    let size = size.const_int_value().filter(|_| volatile.const_int_value() == Some(0))?;
    let aligned = align == BLOCK && size >= BLOCK;
    let long = align > 1 && size >= LOOP;
    ((aligned || long) && size / align <= MOST).then_some(size)
}

/// Divides a block into accesses: their places and sizes.
fn pieces(size: u64, align: u64) -> Vec<(u64, u64)> {
    let mut pieces = Vec::new();
    let (mut at, mut bytes) = (0, align);
    while at < size {
        while at + bytes > size {
            bytes /= 2;
        }
        pieces.push((at, bytes));
        at += bytes;
    }
    pieces
}

/// The type of an access.
fn access<'ctx>(module: &Module<'ctx>, bytes: u64) -> Type<'ctx> {
    let context = module.context();
    match bytes {
        BLOCK => context.int_type(32).vector(4),
        _ => context.int_type(8 * bytes as u32),
    }
}

/// A value of this size with the same byte everywhere.
fn repeated<'ctx>(module: &Module<'ctx>, byte: u64, bytes: u64) -> Value<'ctx> {
    let all = u64::from_le_bytes([byte as u8; 8]);
    let context = module.context();
    match bytes {
        BLOCK => const_vector(&[context.const_int(32, all & u64::from(u32::MAX)); 4]),
        8 => context.const_int(64, all),
        _ => context.const_int(8 * bytes as u32, all & ((1 << (8 * bytes)) - 1)),
    }
}
