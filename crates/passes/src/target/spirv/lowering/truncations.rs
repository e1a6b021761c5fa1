//! Replaces zero extensions of truncated integers by masks.
//!
//! LLVM's legaliser replaces such a pair by a mask as well. But the SPIR-V back end assumes that
//! the result of its truncation has the operand's type. Operations then have operands of two
//! widths, which is invalid SPIR-V.
//!
//! Guarantee: afterwards no operand of a zero extension is a truncation.

use scythe_llvm::{Builder, Instruction, Module, Opcode, Type, Value};
use std::cmp::Ordering;

/// Replaces the pairs in all functions. Other passes remove truncations that have no other uses.
pub fn run(module: &Module<'_>) {
    let builder = module.context().create_builder();
    for function in module.functions().filter(|f| !f.is_declaration()) {
        let extension = |i: &Instruction<'_>| i.opcode() == Opcode::LLVMZExt;
        for extension in function.instructions().filter(extension).collect::<Vec<_>>() {
            builder.position_before(extension);
            if let Some(masked) = masked(&builder, extension) {
                extension.replace_all_uses_with(masked);
                extension.erase();
            }
        }
    }
}

/// Returns the lower bits of the truncated value, in the type of the extension.
fn masked<'ctx>(builder: &Builder<'ctx>, extension: Instruction<'ctx>) -> Option<Value<'ctx>> {
    let (narrow, ty) = (extension.as_value().operand(0)?, extension.ty());
    let mut whole = untruncated(narrow)?;
    while let Some(wider) = untruncated(whole) {
        whole = wider;
    }
    let width = |ty: Type<'ctx>| ty.scalar().int_width();
    let resized = match width(whole.ty())?.cmp(&width(ty)?) {
        Ordering::Equal => whole,
        Ordering::Greater => builder.trunc(whole, ty, ""),
        Ordering::Less => builder.zext(whole, ty, ""),
    };
    let mask = ty.scalar().const_int(u64::MAX >> (64 - width(narrow.ty())?.min(64)));
    Some(builder.and(resized, splat(builder, mask, ty), ""))
}

/// Returns the operand if `value` is a truncation.
fn untruncated(value: Value<'_>) -> Option<Value<'_>> {
    value.as_instruction().filter(|i| i.opcode() == Opcode::LLVMTrunc)?.as_value().operand(0)
}

/// Returns a vector with `element` in all elements, or `element` if `ty` is not a vector type.
pub fn splat<'ctx>(builder: &Builder<'ctx>, element: Value<'ctx>, ty: Type<'ctx>) -> Value<'ctx> {
    let index = |at| ty.context().int_type(32).const_int(at);
    let filled = |vector, at| builder.insert_element(vector, element, index(at), "");
    ty.element_count().map_or(element, |count| (0..count).fold(ty.poison(), filled))
}
