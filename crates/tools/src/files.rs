//! Reading inputs, and writing outputs all or not at all.

use crate::Failure;
use scythe_diag::{Diagnostic, Location};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The reason without the number that the standard library adds.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// An error about a file.
pub fn file_error(path: &str, message: impl std::fmt::Display) -> Failure {
    Diagnostic::error(message.to_string()).at(Location::file(path)).into()
}

pub fn read(path: &str) -> Result<Vec<u8>, Failure> {
    fs::read(path)
        .map_err(|error| file_error(path, format_args!("cannot read: {}", reason(&error))))
}

pub fn read_text(path: &str) -> Result<String, Failure> {
    String::from_utf8(read(path)?).map_err(|error| {
        file_error(
            path,
            format_args!("not UTF-8 text: bad byte at offset {}", error.utf8_error().valid_up_to()),
        )
    })
}

/// Numbers temporary files.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Outputs that appear together, when [`Outputs::commit`] is called. Dropped before, they leave
/// nothing behind.
#[derive(Default)]
pub struct Outputs {
    /// Temporary and final path of what waits for the commit.
    staged: Vec<(PathBuf, PathBuf)>,
    /// What goes to devices, pipes and standard output, which cannot be renamed to.
    direct: Vec<(PathBuf, Vec<u8>)>,
}

impl Outputs {
    /// Stages one output. `-` is standard output.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> Result<(), Failure> {
        let target = Path::new(path);
        let special =
            path == "-" || fs::metadata(target).is_ok_and(|data| !data.is_file() && !data.is_dir());
        if special {
            self.direct.push((target.to_owned(), bytes.to_owned()));
            return Ok(());
        }
        let cannot =
            |error: io::Error| file_error(path, format_args!("cannot write: {}", reason(&error)));
        let Some(name) = target.file_name() else {
            return Err(file_error(path, "cannot write: not the name of a file"));
        };
        if target.is_dir() {
            return Err(file_error(path, "cannot write: it is a folder"));
        }
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        // Numbered, so that two outputs with one name, also of two threads, do not share a
        // temporary file.
        temporary.push(format!(
            ".{}-{}.tmp",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        ));
        let temporary = target.with_file_name(temporary);
        self.staged.push((temporary.clone(), target.to_owned()));
        fs::write(&temporary, bytes).map_err(cannot)
    }

    /// Puts all outputs in place.
    pub fn commit(mut self) -> Result<(), Failure> {
        let cannot = |path: &Path, error: io::Error| {
            file_error(&path.to_string_lossy(), format_args!("cannot write: {}", reason(&error)))
        };
        for (path, bytes) in std::mem::take(&mut self.direct) {
            let written = match path.to_str() {
                Some("-") => io::stdout().write_all(&bytes).and_then(|()| io::stdout().flush()),
                _ => fs::write(&path, bytes),
            };
            written.map_err(|error| cannot(&path, error))?;
        }
        // From the last to the first: what is left when one fails is removed. The main output is
        // added last.
        while let Some((temporary, target)) = self.staged.last() {
            fs::rename(temporary, target).map_err(|error| cannot(target, error))?;
            self.staged.pop();
        }
        Ok(())
    }
}

impl Drop for Outputs {
    fn drop(&mut self) {
        for (temporary, _) in &self.staged {
            // Nothing can be done about a temporary file that cannot be removed.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Makes a folder, and those that it is to stand in, where they are not there yet.
pub fn make_folder(path: &str) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| {
        file_error(path, format_args!("cannot make the folder: {}", reason(&error)))
    })
}

/// The same, for its owner alone.
pub fn make_private_folder(path: &str) -> Result<(), Failure> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| {
        file_error(path, format_args!("cannot make the folder: {}", reason(&error)))
    })
}

/// Writes one output.
pub fn write(path: &str, bytes: &[u8]) -> Result<(), Failure> {
    let mut outputs = Outputs::default();
    outputs.add(path, bytes)?;
    outputs.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_outputs_that_were_not_committed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let mut outputs = Outputs::default();
        outputs.add(path.to_str().unwrap(), b"new").unwrap();
        drop(outputs);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_commit_replaces_and_leaves_no_temporary_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        fs::write(&path, "old").unwrap();
        write(path.to_str().unwrap(), b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn devices_are_written_to_and_not_replaced() {
        write("/dev/null", b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn errors_name_the_file() {
        let failure = write("/nowhere/out", b"").unwrap_err();
        assert_eq!(
            failure.to_string(),
            "/nowhere/out: error: cannot write: No such file or directory"
        );
        let dir = tempfile::tempdir().unwrap();
        let failure = write(dir.path().to_str().unwrap(), b"").unwrap_err();
        assert!(failure.to_string().ends_with("cannot write: it is a folder"), "{failure}");
    }
}
