//! Reads inputs, and writes either all outputs or none.

use crate::Failure;
use crate::errors::{DamagedFile, NoFolder, NotText, Unreadable, Unwritable};
use scythe_diag::{Location, Report};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the reason without the error number that the standard library appends.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Reports an error about a file.
pub fn file_error(path: &str, error: &impl Report) -> Failure {
    error.report().at(Location::file(path)).into()
}

/// Reports a file that its reader rejects.
pub fn damaged(path: &str, reason: impl std::fmt::Display) -> Failure {
    file_error(path, &DamagedFile { reason: reason.to_string() })
}

/// Reports a file that cannot be read.
pub fn unreadable(path: &str, error: &io::Error) -> Failure {
    file_error(path, &Unreadable { reason: reason(error) })
}

pub fn read(path: &str) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| unreadable(path, &error))
}

pub fn read_text(path: &str) -> Result<String, Failure> {
    String::from_utf8(read(path)?)
        .map_err(|error| file_error(path, &NotText { offset: error.utf8_error().valid_up_to() }))
}

/// The number of the next temporary file.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Outputs that [`Outputs::commit`] writes together. Without a commit, no output is written.
#[derive(Default)]
pub struct Outputs {
    /// The temporary and the final path of each output that waits for the commit.
    staged: Vec<(PathBuf, PathBuf)>,
    /// Outputs for devices, pipes and standard output, which cannot be the target of a rename.
    direct: Vec<(PathBuf, Vec<u8>)>,
}

impl Outputs {
    /// Stages an output. `-` is standard output.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> Result<(), Failure> {
        let target = Path::new(path);
        let special =
            path == "-" || fs::metadata(target).is_ok_and(|data| !data.is_file() && !data.is_dir());
        if special {
            self.direct.push((target.to_owned(), bytes.to_owned()));
            return Ok(());
        }
        let cannot = |reason: String| file_error(path, &Unwritable { reason });
        let Some(name) = target.file_name() else {
            return Err(cannot("not the name of a file".to_owned()));
        };
        if target.is_dir() {
            return Err(cannot("it is a folder".to_owned()));
        }
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        // The number keeps the temporary files of outputs with the same name apart, also in several
        // threads.
        temporary.push(format!(
            ".{}-{}.tmp",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        ));
        let temporary = target.with_file_name(temporary);
        self.staged.push((temporary.clone(), target.to_owned()));
        fs::write(&temporary, bytes).map_err(|error| cannot(reason(&error)))
    }

    /// Writes all outputs.
    pub fn commit(mut self) -> Result<(), Failure> {
        let cannot = |path: &Path, error: io::Error| {
            file_error(&path.to_string_lossy(), &Unwritable { reason: reason(&error) })
        };
        for (path, bytes) in std::mem::take(&mut self.direct) {
            let written = match path.to_str() {
                Some("-") => io::stdout().write_all(&bytes).and_then(|()| io::stdout().flush()),
                _ => fs::write(&path, bytes),
            };
            written.map_err(|error| cannot(&path, error))?;
        }
        // The main output was added last and is renamed first. If a rename fails, the remaining
        // temporary files are removed.
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
            // A temporary file that cannot be removed is ignored.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Prints a text to standard output. A reader such as `head` may close the pipe early, which is not
/// an error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(file_error("standard output", &Unwritable { reason: reason(&error) }))
        }
        _ => Ok(()),
    }
}

/// Makes a folder and its missing parents.
pub fn make_folder(path: &str) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| file_error(path, &NoFolder { reason: reason(&error) }))
}

/// Like [`make_folder`], but only the owner can use the new folders.
pub fn make_private_folder(path: &str) -> Result<(), Failure> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| file_error(path, &NoFolder { reason: reason(&error) }))
}

/// Writes a single output.
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
            "/nowhere/out: error: cannot write: No such file or directory [scythe-E0333]"
        );
        let dir = tempfile::tempdir().unwrap();
        let failure = write(dir.path().to_str().unwrap(), b"").unwrap_err();
        assert!(failure.to_string().contains("cannot write: it is a folder"), "{failure}");
    }
}
