//! Programs in the folders of `PATH`.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the folders of `PATH`. Relative folders are left out, and so is an empty name, which
/// stands for the current folder: it may belong to another user, or be a project of unknown origin.
pub fn path_folders() -> Vec<PathBuf> {
    folders(&std::env::var_os("PATH").unwrap_or_default())
}

fn folders(path: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect()
}

/// Returns the first file of this name in these folders.
pub fn in_path(name: &str) -> Option<PathBuf> {
    path_folders().into_iter().map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Returns the file of a program that the user named: a path, or a name to search for in `PATH`.
pub fn program(name: &Path) -> io::Result<PathBuf> {
    if name.components().nth(1).is_some() || name.is_absolute() {
        return Ok(name.to_owned());
    }
    name.to_str().and_then(in_path).ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_current_folder_is_not_searched() {
        let path = OsStr::new("/usr/bin::bin:.:/opt/bin:");
        assert_eq!(folders(path), [PathBuf::from("/usr/bin"), PathBuf::from("/opt/bin")]);
        assert!(folders(OsStr::new("")).is_empty());
        assert!(in_path("sh").is_some_and(|file| file.is_absolute()));
        assert_eq!(in_path("no such program"), None);
        assert!(program(Path::new("sh")).is_ok_and(|file| file.is_absolute()));
        assert!(program(Path::new("no such program")).is_err());
        assert!(program(Path::new("./here")).is_ok_and(|file| file == Path::new("./here")));
    }
}
