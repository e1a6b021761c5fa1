//! Finds the folder of the device library, which compilers link with device code.

use crate::Failure;
use crate::errors::NoInstallation;
use std::path::{Path, PathBuf};

/// Returns the folder of the device library. It is relative to this program: in an installed tree,
/// or in a cargo target folder.
pub fn folder() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().and_then(std::fs::canonicalize);
    let program =
        program.map_err(|error| Failure::new(&NoInstallation { reason: error.to_string() }))?;
    let bin = program.parent().unwrap_or(Path::new("/"));
    let installed = bin.parent().unwrap_or(Path::new("/")).join("lib/scythe/devicelib");
    let built = bin.join("devicelib");
    Ok(if !installed.is_dir() && built.is_dir() { built } else { installed })
}
