//! The folder of the device library, which compilers of device code link with.

use crate::Failure;
use std::path::{Path, PathBuf};

/// The device library's folder, found from the path of this program. It is that of an installed
/// tree, or that of a cargo target folder.
pub fn folder() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().and_then(std::fs::canonicalize);
    let program = program
        .map_err(|error| Failure::new(format!("cannot find this program's own file: {error}")))?;
    let bin = program.parent().unwrap_or(Path::new("/"));
    let installed = bin.parent().unwrap_or(Path::new("/")).join("lib/scythe/devicelib");
    let built = bin.join("devicelib");
    Ok(if !installed.is_dir() && built.is_dir() { built } else { installed })
}
