//! Specialization constants in device code: their names, their sizes, and putting values in.
//!
//! A constant is a constant variable with the default as its value
//! ([`scythe_abi::names::SPECIALIZATION_PREFIX`]). Code reads it by
//! `__scythe_specialization_constant`, which the device library defines, so that nothing depends on
//! the value before the library is linked.

use scythe_abi::names::{SPECIALIZATION_PREFIX, SPECIALIZATION_SUFFIX, TU_SEPARATOR};
use scythe_llvm::{GlobalVariable, Linkage, Module};

/// The constants that a module defines.
pub fn constants<'ctx>(
    module: &Module<'ctx>,
) -> impl Iterator<Item = GlobalVariable<'ctx>> + use<'ctx> {
    module.globals().filter(|global| !global.is_declaration() && is_constant_name(&global.name()))
}

fn is_constant_name(name: &str) -> bool {
    let name = name.split(TU_SEPARATOR).next().unwrap_or(name);
    name.starts_with(SPECIALIZATION_PREFIX) && name.ends_with(SPECIALIZATION_SUFFIX)
}

/// Gives constants with internal linkage names that hold in the whole program, qualified by the
/// translation unit as those of kernels are.
pub fn qualify_names(module: &Module<'_>, unit: &str) {
    for constant in constants(module).filter(|constant| !constant.is_externally_visible()) {
        let name = constant.name();
        if !name.contains(TU_SEPARATOR) {
            constant.set_name(&format!("{name}{TU_SEPARATOR}{unit}"));
        }
    }
}

/// A value of a specialization constant that has the wrong size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "specialization constant '{symbol}' has {size} bytes in device code, and its value has {given}"
)]
pub struct ValueSize {
    symbol: String,
    size: u64,
    given: usize,
}

/// Puts `values` in the place of the defaults: pairs of a constant's name and the bytes of its
/// value. Constants that the module does not have are passed over. An error tells of a value of the
/// wrong size.
pub fn set_values(module: &Module<'_>, values: &[(String, Vec<u8>)]) -> Result<(), ValueSize> {
    for (symbol, bytes) in values {
        let Some(old) = module.global(symbol).filter(|global| !global.is_declaration()) else {
            continue;
        };
        let size = old.value_type().alloc_size(module).unwrap_or(0);
        if size != bytes.len() as u64 {
            return Err(ValueSize { symbol: symbol.clone(), size, given: bytes.len() });
        }
        let context = module.context();
        let new = module.add_global("", context.int_type(8).array(size), old.address_space());
        new.set_initializer(Some(context.const_string(bytes, false)));
        new.set_constant_global(true);
        new.set_align(old.align().max(old.value_type().abi_align(module).unwrap_or(1)));
        new.set_linkage(Linkage::LLVMInternalLinkage);
        old.as_value().replace_all_uses_with(new.as_value());
        old.erase();
        new.set_name(symbol);
    }
    Ok(())
}
