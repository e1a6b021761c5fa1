//! The identity of a translation unit, found out when its passes are done: what it compiles to.
//!
//! The provisional identifier, which the passes were given, is part of it. So units that are
//! compiled to the same device code, but differ in name, code or macros, stay apart.

use std::path::{Path, PathBuf};

use scythe_image::unit::{self, Identity};

use crate::error::Error;

/// Puts the identity of a unit in front of its device modules, in place. Where the host compiler
/// comes later, `words` is a file to be made of options for it, and `header` the integration
/// header. These name the provisional identifier, and then the final one.
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

/// The identity of a unit that is compiled to these modules, one for each target. They may have one
/// already.
fn of_modules(provisional: u64, modules: &[Vec<u8>]) -> Identity {
    let contents: Vec<&[u8]> = modules.iter().map(|module| unit::bare(module)).collect();
    unit::identify(provisional, &contents)
}

/// The same of a unit whose host object is known, too.
pub fn of_unit(provisional: u64, host: &[u8], modules: &[Vec<u8>]) -> Identity {
    let contents: Vec<&[u8]> =
        std::iter::once(host).chain(modules.iter().map(|module| unit::bare(module))).collect();
    unit::identify(provisional, &contents)
}

/// Writes the identity in front of the device module `module` into the unit's host object.
pub fn stamp(object: &Path, module: &Path) -> Result<(), Error> {
    let damaged =
        |path: &Path, message: String| Error::DeviceCode { path: path.to_owned(), message };
    let identity = unit::identity(&read(module)?);
    let identity = identity.ok_or_else(|| {
        damaged(
            module,
            "the device module has no translation-unit identity; compile the source again"
                .to_owned(),
        )
    })?;
    let mut bytes = read(object)?;
    unit::stamp(&mut bytes, identity).map_err(|error| damaged(object, error.to_string()))?;
    write(object, &bytes)
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|source| Error::Write { path: path.to_owned(), source })
}
