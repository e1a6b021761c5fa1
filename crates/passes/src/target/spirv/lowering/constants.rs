//! Rewrites constants that the SPIR-V back end does not translate correctly.
//!
//! * A structure or array with an undefined part, such as the padding that clang leaves: the part
//!   becomes zero.
//! * An address with an offset in an initial value: the offset must be added before the address
//!   becomes generic.
//! * An address inside a variable, in the initial value of another variable: the back end counts
//!   elements while LLVM counts bytes. The variable becomes an array of bytes. Variables of types
//!   that SPIR-V lacks become arrays of bytes as well.
//!
//! Guarantee: variables keep their size, alignment and initial bytes. Code that uses them does not
//! change, because its addresses have no element types.

use super::layouts::is_known;
use crate::target::spirv::SpirvError;
use scythe_llvm::{Builder, GlobalVariable, Instruction, Module, Opcode, Type, TypeKind, Value};

/// Replaces these constants in variables and functions.
pub fn run(module: &Module<'_>) -> Result<(), SpirvError> {
    let builder = module.context().create_builder();
    for variable in module.globals() {
        if let Some(initial) = variable.initializer().and_then(|value| simplified(&builder, value))
        {
            variable.set_initializer(Some(initial));
        }
    }
    let mut addressed = Vec::new();
    for initial in module.globals().filter_map(GlobalVariable::initializer) {
        collect_addressed(initial, false, &mut addressed)?;
    }
    for variable in module.globals().collect::<Vec<_>>() {
        if addressed.contains(&variable.as_value()) || !is_known(variable.value_type()) {
            to_bytes(module, &builder, variable)?;
        }
    }
    for function in module.functions().filter(|f| !f.is_declaration()) {
        for instruction in function.instructions() {
            simplify_operands(&builder, instruction);
        }
    }
    Ok(())
}

/// Replaces `old` by a variable of another type. All other properties of the variable stay the
/// same.
pub fn replace_variable<'ctx>(
    module: &Module<'ctx>,
    old: GlobalVariable<'ctx>,
    ty: Type<'ctx>,
    initial: Option<Value<'ctx>>,
) {
    let name = old.name();
    let align = if old.align() == 0 {
        old.value_type().abi_align(module).unwrap_or(0)
    } else {
        old.align()
    };
    let new = module.add_global("", ty, old.address_space());
    new.set_linkage(old.linkage());
    new.copy_attributes_from(old);
    new.set_constant_global(old.is_constant_global());
    new.set_align(align);
    new.set_initializer(initial);
    old.replace_all_uses_with(new.as_value());
    old.erase();
    new.set_name(&name);
}

/// Returns `value` with zeros for its undefined parts, and with offsets added before addresses
/// become generic: the back end does not find the variable behind a cast. Returns `None` if nothing
/// has to change, or if the whole value is undefined, which the back end supports.
fn simplified<'ctx>(builder: &Builder<'ctx>, value: Value<'ctx>) -> Option<Value<'ctx>> {
    if let (Some(_), Some(base), Some(offset)) =
        (value.constant_byte_offset(), value.operand(0), value.operand(1))
    {
        let inside = base.strip_constant_casts();
        let byte = value.ty().context().int_type(8);
        return (inside != base).then(|| {
            builder.addr_space_cast(builder.gep(byte, inside, &[offset], ""), value.ty(), "")
        });
    }
    if !value.is_aggregate_constant() {
        return None;
    }
    let is_vector = value.ty().kind() == TypeKind::LLVMVectorTypeKind;
    let mut result = None;
    for (index, part) in value.operands().enumerate() {
        let whole = part.is_undef_or_poison().then(|| part.ty().const_null());
        let Some(new) = whole.or_else(|| simplified(builder, part)) else { continue };
        let old = result.unwrap_or(value);
        let at = value.ty().context().int_type(32).const_int(index as u64);
        result = Some(match is_vector {
            true => builder.insert_element(old, new, at, ""),
            false => builder.insert_value(old, new, index as u32, ""),
        });
    }
    result
}

fn simplify_operands<'ctx>(builder: &Builder<'ctx>, instruction: Instruction<'ctx>) {
    let value = instruction.as_value();
    for (index, operand) in value.operands().enumerate().collect::<Vec<_>>() {
        if let Some(new) = simplified(builder, operand) {
            value.set_operand(index as u32, new);
        }
    }
}

/// Adds the variables that addresses with an offset in an initial value point into. `within` says
/// whether `value` is part of the computation of such an address.
fn collect_addressed<'ctx>(
    value: Value<'ctx>,
    within: bool,
    list: &mut Vec<Value<'ctx>>,
) -> Result<(), SpirvError> {
    if value.as_global_variable().is_some() {
        if within && !list.contains(&value) {
            list.push(value);
        }
        return Ok(());
    }
    let opcode = value.constant_opcode();
    let is_offset = opcode == Some(Opcode::LLVMGetElementPtr);
    if is_offset && value.constant_byte_offset().is_none() {
        return Err(SpirvError::InitialAddress { value: value.to_string() });
    }
    if opcode.is_some() || value.is_aggregate_constant() {
        value
            .operands()
            .try_for_each(|operand| collect_addressed(operand, within || is_offset, list))?;
    }
    Ok(())
}

/// Turns the variable into an array of bytes.
fn to_bytes<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    variable: GlobalVariable<'ctx>,
) -> Result<(), SpirvError> {
    let size = variable.value_type().alloc_size(module).unwrap_or(0);
    let byte = module.context().int_type(8);
    let ty = byte.array(size.max(1));
    let initial = match variable.initializer() {
        None => None,
        Some(value) if value.is_undef_or_poison() => Some(ty.undef()),
        Some(value) => {
            let mut bytes = vec![0; size.max(1) as usize];
            write(module, builder, value, &mut bytes).ok_or_else(|| SpirvError::InitialBytes {
                variable: variable.name(),
                value: value.to_string(),
            })?;
            let bytes: Vec<Value<'ctx>> =
                bytes.into_iter().map(|b| byte.const_int(b.into())).collect();
            Some(byte.const_array(&bytes))
        }
    };
    replace_variable(module, variable, ty, initial);
    Ok(())
}

/// Writes a constant in its memory representation. Returns `None` for addresses.
fn write<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    value: Value<'ctx>,
    to: &mut [u8],
) -> Option<()> {
    let ty = value.ty();
    let element = |index: u64| value.constant_element(u32::try_from(index).ok()?);
    match ty.kind() {
        // Null addresses are zero as well.
        _ if value.is_null_constant() || value.is_undef_or_poison() => (),
        TypeKind::LLVMIntegerTypeKind => {
            let bytes = value.const_int_value()?.to_le_bytes();
            let size = to.len().min(bytes.len());
            to[..size].copy_from_slice(&bytes[..size]);
        }
        TypeKind::LLVMHalfTypeKind => write(module, builder, bits(builder, value, 16), to)?,
        TypeKind::LLVMFloatTypeKind => write(module, builder, bits(builder, value, 32), to)?,
        TypeKind::LLVMDoubleTypeKind => write(module, builder, bits(builder, value, 64), to)?,
        TypeKind::LLVMStructTypeKind => {
            for index in 0..ty.contained().len() as u32 {
                let part = element(index.into())?;
                let (at, size) = (ty.field_offset(module, index)?, part.ty().alloc_size(module)?);
                write(module, builder, part, to.get_mut(at as usize..(at + size) as usize)?)?;
            }
        }
        TypeKind::LLVMArrayTypeKind => {
            let size = ty.element()?.alloc_size(module)?;
            for index in 0..ty.element_count()? {
                let at = index * size;
                write(
                    module,
                    builder,
                    element(index)?,
                    to.get_mut(at as usize..(at + size) as usize)?,
                )?;
            }
        }
        TypeKind::LLVMVectorTypeKind => {
            // Elements follow each other without gaps, and Booleans are single bits.
            let scalar = ty.scalar();
            let width = match scalar.kind() {
                TypeKind::LLVMHalfTypeKind => 16,
                TypeKind::LLVMFloatTypeKind => 32,
                TypeKind::LLVMDoubleTypeKind => 64,
                _ => scalar.int_width()?,
            };
            for index in 0..ty.element_count()? {
                let part = bits(builder, element(index)?, width);
                let number = if part.is_undef_or_poison() { 0 } else { part.const_int_value()? };
                for bit in (0..u64::from(width)).filter(|bit| number >> bit & 1 == 1) {
                    let at = index * u64::from(width) + bit;
                    *to.get_mut((at / 8) as usize)? |= 1 << (at % 8);
                }
            }
        }
        _ => return None,
    }
    Some(())
}

/// Returns the bits of a number as an integer constant.
fn bits<'ctx>(builder: &Builder<'ctx>, value: Value<'ctx>, width: u32) -> Value<'ctx> {
    builder.bit_cast(value, value.ty().context().int_type(width), "")
}
