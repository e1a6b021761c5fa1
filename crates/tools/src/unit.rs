//! Replaces the provisional identifier of a translation unit in a device module by the final one.
//!
//! The device pass knew only the provisional identifier. The final one is stored before the module
//! (`scythe_image::unit`). [`qualify`] puts it into the names of kernels, specialization constants
//! and `device_global` variables with internal linkage.

use crate::Failure;
use crate::files::file_error;
use scythe_abi::names::{MODULE_ID_ATTRIBUTE, TU_SEPARATOR};
use scythe_image::unit::{self, Identity};
use scythe_llvm::{Module, Place};
use scythe_passes::{device_globals, launch_metadata};
use scythe_split::errors::DamagedLaunchRows;

/// Renames all symbols of `module` that contain the provisional identifier. `bytes` is the file of
/// the module.
pub fn qualify(module: &Module<'_>, bytes: &[u8]) -> Result<(), Failure> {
    let Some(Identity { provisional, id }) = unit::identity(bytes) else { return Ok(()) };
    let (old, new) = (suffix(provisional), suffix(id));
    let corrected = |name: &str| name.strip_suffix(&old).map(|stem| format!("{stem}{new}"));
    for function in module.functions() {
        if let Some(name) = corrected(&function.name()) {
            function.set_name(&name);
        }
    }
    for variable in module.globals() {
        if let Some(name) = corrected(&variable.name()) {
            variable.set_name(&name);
        }
        let unique = variable.string_attribute(device_globals::ID_ATTRIBUTE);
        if let Some(name) = unique.as_deref().and_then(corrected) {
            variable.add_attribute(device_globals::ID_ATTRIBUTE, &name);
        }
    }
    let mut rows = launch_metadata::read(module).map_err(|error| {
        file_error(&module.name(), &DamagedLaunchRows { reason: error.to_string() })
    })?;
    for (symbol, _) in &mut rows {
        if let Some(name) = corrected(symbol) {
            *symbol = name;
        }
    }
    if !rows.is_empty() {
        launch_metadata::write(module, &rows);
    }
    Ok(())
}

/// Makes the unit name of each function unique to this module. Files with the same name in two
/// folders, and a file that is compiled twice with different options, are different units. The
/// contents identify a module without identity.
pub fn separate(module: &Module<'_>, bytes: &[u8]) {
    let id = unit::identity(bytes).unwrap_or_else(|| unit::identify(0, &[bytes])).id;
    for function in module.functions() {
        if let Some(name) = function.string_attribute(Place::Function, MODULE_ID_ATTRIBUTE) {
            let value = format!("{name}{}", suffix(id));
            function.add_attribute(
                Place::Function,
                module.context().string_attribute(MODULE_ID_ATTRIBUTE, &value),
            );
        }
    }
}

fn suffix(id: u64) -> String {
    format!("{TU_SEPARATOR}{}", unit::hex(id))
}
