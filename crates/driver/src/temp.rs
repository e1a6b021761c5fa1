//! The folder for temporary files of an invocation. It is removed when its value is dropped.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Returns a name for the folder, in `TMPDIR` or `/tmp`. The caller tries names until one is free.
pub fn name(attempt: u32) -> PathBuf {
    let base =
        std::env::var_os("TMPDIR").filter(|d| !d.is_empty()).unwrap_or_else(|| "/tmp".into());
    let suffix = if attempt == 0 { String::new() } else { format!("-{attempt}") };
    Path::new(&base).join(format!("scythe-{}{suffix}", std::process::id()))
}

pub struct TempFolder {
    path: PathBuf,
}

impl TempFolder {
    /// Creates the folder, accessible for this user only.
    pub fn create() -> Result<TempFolder, Error> {
        let mut attempt = 0;
        loop {
            let path = name(attempt);
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(TempFolder { path }),
                // A process with the same id was killed and could not clean up.
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && attempt < 10_000 => {
                    attempt += 1
                }
                Err(source) => {
                    let base = path.parent().unwrap_or(&path).to_owned();
                    return Err(Error::TempFolder { path: base, source });
                }
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // If this fails, nothing useful can be done, and the exit status must be that of the
        // compilation.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_differ_and_vanish() {
        let (a, b) = (TempFolder::create().unwrap(), TempFolder::create().unwrap());
        assert_ne!(a.path(), b.path());
        let mode = std::os::unix::fs::PermissionsExt::mode;
        let permissions = std::fs::metadata(a.path()).unwrap().permissions();
        assert_eq!(mode(&permissions) & 0o777, 0o700);
        std::fs::write(a.path().join("file"), "x").unwrap();
        let path = a.path().to_owned();
        drop(a);
        assert!(!path.exists() && b.path().exists());
    }
}
