//! Replaces divisions of integers of 65 to 128 bits by calls of the device library, in 128 bits.
//!
//! The functions are inlined later, and [`super::wide_integers`] splits their integers. Therefore
//! the pass runs before the device library is linked.

use super::wide_types::wide_width;
use scythe_llvm::{Builder, CallConv, Instruction, Module, Opcode, TypeKind, Value};

/// Replaces these divisions in all functions.
pub fn run(module: &Module<'_>) {
    let builder = module.context().create_builder();
    for function in module.functions().filter(|f| !f.is_declaration()) {
        for division in function.instructions().filter(|i| is_wide_division(*i)).collect::<Vec<_>>()
        {
            builder.position_before(division);
            let Some(result) = divided(module, &builder, division) else { continue };
            division.replace_all_uses_with(result);
            division.erase();
        }
    }
}

fn is_wide_division(instruction: Instruction<'_>) -> bool {
    library_function(instruction.opcode()).is_some() && wide_width(instruction.ty()).is_some()
}

/// Returns the name of the library function, and whether the numbers are signed.
fn library_function(opcode: Opcode) -> Option<(&'static str, bool)> {
    match opcode {
        Opcode::LLVMUDiv => Some(("__udivti3", false)),
        Opcode::LLVMURem => Some(("__umodti3", false)),
        Opcode::LLVMSDiv => Some(("__divti3", true)),
        Opcode::LLVMSRem => Some(("__modti3", true)),
        _ => None,
    }
}

/// Computes the result, element by element for vectors.
fn divided<'ctx>(
    module: &Module<'ctx>,
    b: &Builder<'ctx>,
    division: Instruction<'ctx>,
) -> Option<Value<'ctx>> {
    let (value, ty) = (division.as_value(), division.ty());
    let (x, y) = (value.operand(0)?, value.operand(1)?);
    if ty.kind() != TypeKind::LLVMVectorTypeKind {
        return one(module, b, division.opcode(), x, y);
    }
    let index = |i: u64| module.context().int_type(64).const_int(i);
    (0..ty.element_count()?).try_fold(ty.poison(), |vector, i| {
        let (x, y) = (b.extract_element(x, index(i), ""), b.extract_element(y, index(i), ""));
        let element = one(module, b, division.opcode(), x, y)?;
        Some(b.insert_element(vector, element, index(i), ""))
    })
}

fn one<'ctx>(
    module: &Module<'ctx>,
    b: &Builder<'ctx>,
    opcode: Opcode,
    x: Value<'ctx>,
    y: Value<'ctx>,
) -> Option<Value<'ctx>> {
    let (name, signed) = library_function(opcode)?;
    let (narrow, whole) = (x.ty(), module.context().int_type(128));
    let extended = |v: Value<'ctx>| match narrow == whole {
        true => v,
        false if signed => b.sext(v, whole, ""),
        false => b.zext(v, whole, ""),
    };
    let function = module.get_or_add_function(name, whole.function(&[whole, whole], false));
    function.set_call_conv(CallConv::SPIR_FUNC);
    let call = b.call(function, &[extended(x), extended(y)], "");
    call.set_call_conv(CallConv::SPIR_FUNC);
    Some(if narrow == whole { call.as_value() } else { b.trunc(call.as_value(), narrow, "") })
}
