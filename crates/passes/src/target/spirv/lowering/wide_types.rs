//! The memory layout of integers of 65 to 128 bits: two words, wherever they are part of a type.
//!
//! SPIR-V's data layout aligns them like words, and clang writes the padding that programs observe
//! as separate fields. Therefore the offsets in structures and arrays do not change.

use super::constants::replace_variable;
use crate::target::spirv::SpirvError;
use scythe_llvm::{Builder, Module, Type, TypeKind, Value};

/// Returns the width of a wide integer, or of the elements of a vector of wide integers.
pub fn wide_width(ty: Type<'_>) -> Option<u32> {
    ty.scalar().int_width().filter(|width| (65..=128).contains(width))
}

/// Returns a type with the memory layout of a wide integer, or of an array or structure that
/// contains wide integers. Returns `None` for other types.
pub fn in_memory(ty: Type<'_>) -> Option<Type<'_>> {
    match ty.kind() {
        TypeKind::LLVMArrayTypeKind => Some(in_memory(ty.element()?)?.array(ty.element_count()?)),
        TypeKind::LLVMIntegerTypeKind => wide_width(ty).map(|_| ty.context().int_type(64).array(2)),
        TypeKind::LLVMStructTypeKind => {
            let mut fields = ty.contained();
            let mut concerned = false;
            for field in &mut fields {
                let Some(other) = in_memory(*field) else { continue };
                *field = other;
                concerned = true;
            }
            concerned.then(|| ty.context().struct_type(&fields, ty.is_packed_struct()))
        }
        _ => None,
    }
}

/// Changes the types of variables that contain wide integers, such as the tables that the optimiser
/// creates for a `switch`, to those of [`in_memory`].
pub fn replace_variables(module: &Module<'_>) -> Result<(), SpirvError> {
    let builder = module.context().create_builder();
    for old in module.globals().collect::<Vec<_>>() {
        let Some(ty) = in_memory(old.value_type()) else { continue };
        let initial = match old.initializer() {
            None => None,
            Some(value) => Some(constant(&builder, value).ok_or_else(|| {
                SpirvError::WideInitial { variable: old.name(), value: value.to_string() }
            })?),
        };
        replace_variable(module, old, ty, initial);
    }
    Ok(())
}

/// Returns the same constant in two words, or `None` if an integer is the result of a computation
/// with addresses.
fn constant<'ctx>(builder: &Builder<'ctx>, value: Value<'ctx>) -> Option<Value<'ctx>> {
    let Some(ty) = in_memory(value.ty()) else { return Some(value) };
    if value.is_undef_or_poison() {
        return Some(ty.undef());
    }
    if value.ty().kind() == TypeKind::LLVMIntegerTypeKind {
        let word = value.ty().context().int_type(64);
        // Only plain numbers can be folded, and other values cannot be computed outside of
        // functions.
        if value.operand_count() > 0 || value.as_global_variable().is_some() {
            return None;
        }
        let upper = builder.lshr(value, value.ty().const_int(64), "");
        return Some(
            word.const_array(&[builder.trunc(value, word, ""), builder.trunc(upper, word, "")]),
        );
    }
    // An aggregate without operands is all zeros.
    if value.operand_count() == 0 {
        return Some(ty.const_null());
    }
    let parts = value.operands().map(|part| constant(builder, part)).collect::<Option<Vec<_>>>()?;
    Some(match ty.element() {
        Some(element) => element.const_array(&parts),
        None => ty.context().const_struct(&parts, ty.is_packed_struct()),
    })
}
