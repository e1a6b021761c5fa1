//! Specialization constants in device code: their names, their sizes, and the replacement of
//! values.
//!
//! A specialization constant is a constant variable whose initial value is the default
//! ([`scythe_abi::names::SPECIALIZATION_PREFIX`]). Code reads it through
//! `__scythe_specialization_constant`. The device library defines this function, so no code depends
//! on the value before the library is linked.

use scythe_abi::names::{SPECIALIZATION_PREFIX, SPECIALIZATION_SUFFIX, TU_SEPARATOR};
use scythe_llvm::{GlobalVariable, Linkage, Module};

/// Returns the specialization constants that a module defines.
pub fn constants<'ctx>(
    module: &Module<'ctx>,
) -> impl Iterator<Item = GlobalVariable<'ctx>> + use<'ctx> {
    module.globals().filter(|global| !global.is_declaration() && is_constant_name(&global.name()))
}

fn is_constant_name(name: &str) -> bool {
    let name = name.split(TU_SEPARATOR).next().unwrap_or(name);
    name.starts_with(SPECIALIZATION_PREFIX) && name.ends_with(SPECIALIZATION_SUFFIX)
}

/// Gives specialization constants with internal linkage names that are unique in the whole program,
/// qualified by the translation unit like the names of kernels.
pub fn qualify_names(module: &Module<'_>, unit: &str) {
    for constant in constants(module).filter(|constant| !constant.is_externally_visible()) {
        let name = constant.name();
        if !name.contains(TU_SEPARATOR) {
            constant.set_name(&format!("{name}{TU_SEPARATOR}{unit}"));
        }
    }
}

/// The error for a value whose size differs from that of its specialization constant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "specialization constant '{symbol}' has {size} bytes in device code, but its value has {given}"
)]
pub struct ValueSize {
    symbol: String,
    size: u64,
    given: usize,
}

/// Replaces the defaults by `values`: pairs of a constant's name and the bytes of its value.
/// Constants that the module does not have are ignored. Fails if a value has the wrong size.
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
