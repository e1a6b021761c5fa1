//! The identity of a translation unit. It is computed after the unit's passes, from their outputs.
//!
//! The provisional identifier, which the passes already used, is part of the identity. Units that
//! compile to the same device code but differ in name, code or macros therefore have different
//! identities.

use std::path::{Path, PathBuf};

use scythe_image::unit::{self, Identity};

use crate::error::{DeviceCodeError, Error};

/// Prepends the identity of a unit to its device modules, in place. If the host compiler runs
/// later, `words` is the file of options to write for it, and `header` is the integration header.
/// In both, the final identity replaces the provisional identifier.
pub fn identify(
    provisional: u64,
    device: &[PathBuf],
    words: Option<&(PathBuf, Vec<String>)>,
    header: Option<&Path>,
) -> Result<(), Error> {
    let modules = device.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let identity = of_modules(provisional, &modules);
    for (file, module) in device.iter().zip(&modules) {
        write(file, &unit::wrap(module, identity))?;
    }
    let corrected = |text: &str| text.replace(&unit::hex(provisional), &unit::hex(identity.id));
    if let Some((file, words)) = words {
        write(file, corrected(&words.join("\n")).as_bytes())?;
    }
    if let Some(file) = header {
        write(file, corrected(&String::from_utf8_lossy(&read(file)?)).as_bytes())?;
    }
    Ok(())
}

/// Returns the identity of a unit that compiles to these modules, one for each target. An identity
/// that a module already has is ignored.
fn of_modules(provisional: u64, modules: &[Vec<u8>]) -> Identity {
    let contents: Vec<&[u8]> = modules.iter().map(|module| unit::bare(module)).collect();
    unit::identify(provisional, &contents)
}

/// Returns the identity of a unit whose host object is known in addition to its modules.
pub fn of_unit(provisional: u64, host: &[u8], modules: &[Vec<u8>]) -> Identity {
    let contents: Vec<&[u8]> =
        std::iter::once(host).chain(modules.iter().map(|module| unit::bare(module))).collect();
    unit::identify(provisional, &contents)
}

/// Copies the identity at the start of the device module `module` into the unit's host object.
pub fn stamp(object: &Path, module: &Path) -> Result<(), Error> {
    let damaged =
        |path: &Path, source: DeviceCodeError| Error::DeviceCode { path: path.to_owned(), source };
    let identity = unit::identity(&read(module)?);
    let identity = identity.ok_or_else(|| damaged(module, DeviceCodeError::NoIdentity))?;
    let mut bytes = read(object)?;
    unit::stamp(&mut bytes, identity).map_err(|error| damaged(object, error.into()))?;
    write(object, &bytes)
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|source| Error::Write { path: path.to_owned(), source })
}
