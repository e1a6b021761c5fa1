//! Finds LLVM's programs. No other code of the tests searches for them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The default folder of LLVM 22. The environment may name another.
const LLVM: &str = "/usr/lib/llvm-22";

/// Returns LLVM's folder of programs.
pub fn llvm_folder() -> PathBuf {
    let prefix = std::env::var_os("LLVM_SYS_221_PREFIX").map_or_else(|| LLVM.into(), PathBuf::from);
    prefix.join("bin")
}

/// Returns the path of a program of LLVM 22.
pub fn llvm(name: &str) -> Result<PathBuf, NotFound> {
    find(name, &llvm_folder(), &std::env::var_os("PATH").unwrap_or_default())
}

/// The error for a program of LLVM 22 that is not installed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name} of LLVM 22 is not installed: neither {} nor '{name}-22' in PATH exists; \
     run 'cargo xtask setup', or set LLVM_SYS_221_PREFIX to the folder of LLVM",
    file.display()
)]
pub struct NotFound {
    pub name: String,
    pub file: PathBuf,
}

pub(crate) fn find(name: &str, folder: &Path, path: &OsStr) -> Result<PathBuf, NotFound> {
    let file = folder.join(name);
    if file.is_file() {
        return Ok(file);
    }
    let versioned = std::env::split_paths(path).map(|folder| folder.join(format!("{name}-22")));
    versioned.into_iter().find(|file| file.is_file()).ok_or(NotFound { name: name.into(), file })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_the_places_that_were_searched() {
        let folder = tempfile::tempdir().unwrap();
        let missing =
            find("FileCheck", folder.path(), folder.path().as_os_str()).unwrap_err().to_string();
        assert!(missing.starts_with("FileCheck of LLVM 22 is not installed"), "{missing}");
        assert!(
            missing.contains(&folder.path().join("FileCheck").display().to_string()),
            "{missing}"
        );
        assert!(missing.contains("cargo xtask setup"), "{missing}");
    }

    #[test]
    fn the_folder_of_llvm_comes_before_the_path() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (own, other) = (one.path().join("tool"), two.path().join("tool-22"));
        std::fs::write(&other, "").unwrap();
        assert_eq!(find("tool", one.path(), two.path().as_os_str()), Ok(other));
        std::fs::write(&own, "").unwrap();
        assert_eq!(find("tool", one.path(), two.path().as_os_str()), Ok(own));
    }
}
