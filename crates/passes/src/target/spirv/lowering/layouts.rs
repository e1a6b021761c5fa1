//! Replaces memory types that SPIR-V lacks by arrays of bytes of the same size.
//!
//! For a structure with an array of zero elements, which programs use for arrays of any length, the
//! SPIR-V back end creates a structure in which all arrays are pointers. It replaces integers of
//! other widths by wider integers, and does not support vectors of five or six elements. An address
//! computed with such a type, or a private variable of it, then refers to the wrong memory.
//!
//! Guarantee: afterwards neither a private variable nor an address computation depends on such a
//! type. ([`super::constants`] handles variables of the module.)

use crate::target::spirv::SpirvError;
use scythe_llvm::{Builder, Instruction, Module, Opcode, Type, TypeKind, Value};

/// Replaces these types in all functions. The error names an address that is computed with elements
/// of unknown size.
pub fn run(module: &Module<'_>) -> Result<(), SpirvError> {
    let builder = module.context().create_builder();
    for function in module.functions().filter(|f| !f.is_declaration()) {
        for instruction in function.instructions().collect::<Vec<_>>() {
            builder.position_before(instruction);
            let other = match instruction.opcode() {
                Opcode::LLVMAlloca => variable(module, &builder, instruction),
                Opcode::LLVMGetElementPtr
                    if instruction.gep_source_type().is_some_and(|ty| !is_known(ty)) =>
                {
                    let address = address(module, &builder, instruction);
                    Some(address.ok_or_else(|| SpirvError::Address {
                        function: function.name(),
                        instruction: instruction.as_value().to_string(),
                    })?)
                }
                _ => None,
            };
            if let Some(other) = other {
                instruction.replace_all_uses_with(other);
                instruction.erase();
            }
        }
    }
    Ok(())
}

/// Whether SPIR-V has a type with the same memory layout.
pub fn is_known(ty: Type<'_>) -> bool {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => matches!(ty.int_width(), Some(8 | 16 | 32 | 64)),
        TypeKind::LLVMVectorTypeKind => {
            matches!(ty.element_count(), Some(2 | 3 | 4 | 8 | 16))
                && ty.element().is_some_and(is_known)
        }
        TypeKind::LLVMArrayTypeKind => {
            ty.element_count() != Some(0) && ty.element().is_some_and(is_known)
        }
        TypeKind::LLVMStructTypeKind => ty.contained().into_iter().all(is_known),
        _ => true,
    }
}

/// Creates a variable of as many bytes, with the same alignment.
fn variable<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    variable: Instruction<'ctx>,
) -> Option<Value<'ctx>> {
    let ty = variable.allocated_type().filter(|ty| !is_known(*ty))?;
    let bytes = module.context().int_type(8).array(ty.alloc_size(module)?.max(1));
    let new = builder.array_alloca(bytes, variable.as_value().operand(0)?, "");
    new.set_align(variable.alignment());
    Some(new.as_value())
}

/// Computes the same address in bytes. Returns `None` for vectors of addresses, and for types
/// without a size.
fn address<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    gep: Instruction<'ctx>,
) -> Option<Value<'ctx>> {
    let word = module.context().int_type(64);
    let mut operands = gep.as_value().operands();
    let base = operands.next().filter(|base| base.ty().is_pointer() && gep.ty().is_pointer())?;
    let mut ty = gep.gep_source_type()?;
    let mut sum = word.const_null();
    for (place, index) in operands.enumerate() {
        let fields = ty.contained();
        if place > 0 && ty.is_struct() {
            let field = u32::try_from(index.const_int_value()?).ok()?;
            sum = builder.add(sum, word.const_int(ty.field_offset(module, field)?), "");
            ty = *fields.get(field as usize)?;
            continue;
        }
        // The first index steps over whole objects, the others go inside the object.
        ty = if place > 0 { ty.element()? } else { ty };
        let index = match index.ty().int_width()? {
            64 => index,
            0..64 => builder.sext(index, word, ""),
            _ => builder.trunc(index, word, ""),
        };
        let size = word.const_int(ty.alloc_size(module)?);
        sum = builder.add(sum, builder.mul(index, size, ""), "");
    }
    Some(builder.gep(module.context().int_type(8), base, &[sum], ""))
}
