//! Gives kernels a linkage that allows several translation units to be linked.
//!
//! clang emits kernels as strong symbols, which clash if two translation units contain a kernel
//! from a header. After this pass
//! * a kernel with an externally visible name is `weak_odr` in a comdat of its name: the linker
//!   keeps one of several definitions, and, unlike with `linkonce_odr`, the optimiser keeps it
//!   although no device code calls it;
//! * a kernel whose name has internal linkage, which the front end marks with
//!   [`INTERNAL_ATTRIBUTE`], is called `<name>.tu.<translation unit>` and stays strong; its launch
//!   row has the new name;
//! * the mark is removed;
//! * `device_global` variables have their final names, and are `weak_odr` as well
//!   ([`crate::device_globals`]).
//!
//! Other functions keep the linkage that clang gave them.

use crate::{Error, Pass, device_globals, launch_metadata};
use scythe_abi::names::TU_SEPARATOR;
use scythe_llvm::{Function, Linkage as LlvmLinkage, Module, Place};
use std::collections::HashMap;

/// Function attribute on kernels whose name has internal linkage. Its value is the translation
/// unit's identifier.
pub const INTERNAL_ATTRIBUTE: &str = "scythe-internal";

/// The reason why a kernel cannot be linked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkageError {
    #[error("attribute {INTERNAL_ATTRIBUTE} is '{found}', expected 16 hexadecimal digits")]
    Unit { found: String },
    #[error(
        "the kernel has internal linkage but lacks attribute {INTERNAL_ATTRIBUTE}, so host code \
         cannot find it"
    )]
    Internal,
    #[error("cannot rename the kernel to '{name}': another symbol has this name")]
    Taken { name: String },
}

/// The pass `linkage`. See the module documentation.
pub struct Linkage;

impl Pass for Linkage {
    fn name(&self) -> &'static str {
        "linkage"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        let mut renamed = HashMap::new();
        let mut changed = false;
        for kernel in module.kernels() {
            match kernel.string_attribute(Place::Function, INTERNAL_ATTRIBUTE) {
                Some(unit) => {
                    renamed.extend(qualify(module, kernel, &unit)?);
                    changed = true;
                }
                None => changed |= share(module, kernel)?,
            }
        }
        if !renamed.is_empty() {
            let mut rows = launch_metadata::read(module)?;
            for (symbol, _) in &mut rows {
                if let Some(new) = renamed.get(symbol) {
                    symbol.clone_from(new);
                }
            }
            launch_metadata::write(module, &rows);
        }
        Ok(changed | device_globals::share(module)?)
    }
}

/// Makes a kernel's name unique to its translation unit. Returns the old and the new name if the
/// name changed.
fn qualify<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    unit: &str,
) -> Result<Option<(String, String)>, Error> {
    if unit.len() != 16 || !unit.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(error(kernel, LinkageError::Unit { found: unit.to_owned() }));
    }
    let suffix = format!("{TU_SEPARATOR}{unit}");
    let old = kernel.name();
    let mut names = None;
    if !old.ends_with(&suffix) {
        let new = format!("{old}{suffix}");
        if module.function(&new).is_some() || module.global(&new).is_some() {
            return Err(error(kernel, LinkageError::Taken { name: new }));
        }
        kernel.set_name(&new);
        names = Some((old, new));
    }
    kernel.remove_string_attribute(Place::Function, INTERNAL_ATTRIBUTE);
    kernel.remove_comdat();
    kernel.set_linkage(LlvmLinkage::LLVMExternalLinkage);
    Ok(names)
}

/// Allows several translation units to contain equal definitions of the kernel.
fn share<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) -> Result<bool, Error> {
    let name = kernel.name();
    if !kernel.is_externally_visible() {
        return Err(error(kernel, LinkageError::Internal));
    }
    if name.contains(TU_SEPARATOR)
        || (kernel.linkage() == LlvmLinkage::LLVMWeakODRLinkage && kernel.has_comdat())
    {
        return Ok(false);
    }
    kernel.set_linkage(LlvmLinkage::LLVMWeakODRLinkage);
    kernel.set_comdat_any(module, &name);
    Ok(true)
}

fn error(kernel: Function<'_>, fault: LinkageError) -> Error {
    Error::Kernel { pass: Linkage.name(), kernel: kernel.name(), fault: fault.into() }
}
