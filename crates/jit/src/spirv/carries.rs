//! Keeps sums and the question whether they overflowed two instructions.
//!
//! LLVM's code generation makes one of `x + y < x` and its like, which becomes `OpIAddCarry`. Not all of Intel's compilers for GPUs know
//! it, and none computes it better. What is compared is frozen here, by which LLVM does not recognise the form any more; the value
//! is the same.

use scythe_llvm::{Instruction, IntPredicate, Module, Opcode, Value};

/// In all functions.
pub fn run(module: &Module<'_>) {
    let builder = module.context().create_builder();
    for function in module.functions().filter(|f| !f.is_declaration()) {
        for comparison in function.instructions().filter(|i| i.opcode() == Opcode::LLVMICmp).collect::<Vec<_>>() {
            let Some((index, value)) = asks_for_carry(comparison) else { continue };
            builder.position_before(comparison);
            comparison.as_value().set_operand(index, builder.freeze(value));
        }
    }
}

/// The operand to freeze of a comparison that may be taken for one with a carry.
fn asks_for_carry(comparison: Instruction<'_>) -> Option<(u32, Value<'_>)> {
    use IntPredicate::{LLVMIntEQ, LLVMIntNE, LLVMIntUGT, LLVMIntULT};
    let value = comparison.as_value();
    let (x, y) = (value.operand(0)?, value.operand(1)?);
    let width = x.ty().int_width().filter(|width| *width <= 64)?;
    let minus_one = u64::MAX >> (64 - width);
    let constant = y.const_int_value();
    let has_sum = |number: u64| x.users().into_iter().any(|user| is_sum(user, |o| o.const_int_value() == Some(number)));
    match comparison.int_predicate()? {
        LLVMIntULT => is_sum(x, |o| o == y).then_some((0, x)),
        LLVMIntUGT => is_sum(y, |o| o == x).then_some((1, y)),
        LLVMIntEQ if constant == Some(minus_one) => has_sum(1).then_some((0, x)),
        LLVMIntEQ if constant == Some(0) => is_sum(x, |o| o.const_int_value() == Some(1)).then_some((0, x)),
        LLVMIntNE if constant == Some(0) => has_sum(minus_one).then_some((0, x)),
        _ => None,
    }
}

/// An addition with such an operand.
fn is_sum<'ctx>(value: Value<'ctx>, fits: impl Fn(Value<'ctx>) -> bool) -> bool {
    let sum = value.as_instruction().filter(|i| i.opcode() == Opcode::LLVMAdd);
    sum.is_some_and(|sum| sum.as_value().operands().any(fits))
}
