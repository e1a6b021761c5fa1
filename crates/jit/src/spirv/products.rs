//! Computes products of 64-bit integers in 64 bits.
//!
//! LLVM's optimiser recognises the steps by which programs (and `sycl::mul_hi`) compute the upper half of such a product, and makes
//! them a multiplication in 128 bits, of which the upper half is taken. SPIR-V's kernels have no such integers.
//!
//! Guarantee: afterwards no truncation to 64 bits or fewer depends on a product of two integers that were 64 bits wide, shifted
//! to the right by a constant or not. The instructions in between have no use left, so that dead code elimination takes them.

use scythe_llvm::{Builder, Instruction, Module, Opcode, Type, Value};

/// Replaces such truncations in all functions.
pub fn run(module: &Module<'_>) {
    let builder = module.context().create_builder();
    for function in module.functions().filter(|f| !f.is_declaration()) {
        let truncations = |i: &Instruction<'_>| {
            i.opcode() == Opcode::LLVMTrunc && i.as_value().operand(0).is_some_and(|o| o.ty().int_width() == Some(128))
        };
        for truncation in function.instructions().filter(truncations).collect::<Vec<_>>() {
            builder.position_before(truncation);
            let Some(part) = part_of_product(&builder, truncation) else { continue };
            truncation.replace_all_uses_with(part);
            truncation.erase();
        }
    }
}

/// What the truncation keeps, where it keeps a part of a product.
fn part_of_product<'ctx>(b: &Builder<'ctx>, truncation: Instruction<'ctx>) -> Option<Value<'ctx>> {
    let kept = truncation.as_value().operand(0)?;
    let shift = kept.as_instruction().filter(|i| i.opcode() == Opcode::LLVMLShr);
    let (product, distance) = match shift {
        Some(shift) => (shift.as_value().operand(0)?, small_constant(shift.as_value().operand(1)?)?),
        None => (kept, 0),
    };
    let product = product.as_instruction().filter(|i| i.opcode() == Opcode::LLVMMul)?.as_value();
    let word = truncation.ty().context().int_type(64);
    let (x, y) = (factor(b, product.operand(0)?, word)?, factor(b, product.operand(1)?, word)?);
    let by = |bits: u64| word.const_int(bits);
    let whole = match distance {
        0 => b.mul(x, y, ""),
        1..64 => {
            let upper = b.shl(upper_half(b, x, y), by(64 - distance), "");
            b.or(b.lshr(b.mul(x, y, ""), by(distance), ""), upper, "")
        }
        64 => upper_half(b, x, y),
        65..128 => b.lshr(upper_half(b, x, y), by(distance - 64), ""),
        _ => return None,
    };
    Some(if truncation.ty() == word { whole } else { b.trunc(whole, truncation.ty(), "") })
}

/// A factor in 64 bits, where it has no more.
fn factor<'ctx>(b: &Builder<'ctx>, value: Value<'ctx>, word: Type<'ctx>) -> Option<Value<'ctx>> {
    if let Some(number) = small_constant(value) {
        return Some(word.const_int(number));
    }
    let extension = value.as_instruction().filter(|i| i.opcode() == Opcode::LLVMZExt)?;
    let narrow = extension.as_value().operand(0)?;
    match narrow.ty().int_width()? {
        64 => Some(narrow),
        0..64 => Some(b.zext(narrow, word, "")),
        _ => None,
    }
}

/// A constant of 128 bits whose upper half is zero.
fn small_constant(value: Value<'_>) -> Option<u64> {
    if value.as_instruction().is_some() {
        return None;
    }
    value.to_string().strip_prefix("i128 ")?.parse().ok()
}

/// Of the product of two words, by the products of their halves.
fn upper_half<'ctx>(b: &Builder<'ctx>, x: Value<'ctx>, y: Value<'ctx>) -> Value<'ctx> {
    let word = x.ty();
    let (half, mask) = (word.const_int(32), word.const_int(0xffff_ffff));
    let low = |v| b.and(v, mask, "");
    let high = |v| b.lshr(v, half, "");
    let (lowest, highest) = (b.mul(low(x), low(y), ""), b.mul(high(x), high(y), ""));
    let (left, right) = (b.mul(high(x), low(y), ""), b.mul(low(x), high(y), ""));
    // What is carried out of the lower half; three numbers of 32 bits do not overflow.
    let middle = b.add(b.add(high(lowest), low(left), ""), low(right), "");
    b.add(b.add(highest, high(left), ""), b.add(high(right), high(middle), ""), "")
}
