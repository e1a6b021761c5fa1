//! Writes the output of each stage of a compilation into a folder, for debugging.

use crate::Error;
use scythe_llvm::Module;
use std::io::Write;
use std::path::Path;

/// Writes `bytes` to the file `name` in `folder`. Does nothing without a folder.
pub fn bytes(folder: Option<&Path>, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let Some(folder) = folder else { return Ok(()) };
    let path = folder.join(name);
    let written = scythe_own_files::output(&path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|source| Error::Write { path, source })
}

/// Writes the IR of `module` to the file `<stage>.ll`.
pub fn module(folder: Option<&Path>, stage: &str, module: &Module<'_>) -> Result<(), Error> {
    match folder {
        Some(_) => bytes(folder, &format!("{stage}.ll"), module.to_string().as_bytes()),
        None => Ok(()),
    }
}

/// Does the same for the observers of a lowering, whose errors are of LLVM's error type.
pub fn stage(
    folder: Option<&Path>,
    stage: &str,
    module: &Module<'_>,
) -> Result<(), scythe_llvm::Error> {
    self::module(folder, stage, module).map_err(|error| scythe_llvm::Error::Emit {
        module: module.name(),
        message: error.to_string(),
    })
}
