//! Functions for the compilers that are separate programs: ocloc and ptxas.

use crate::errors::{
    CompilerFailed, CompilerInput, CompilerNotStarted, NoCompilerOutput, NoTemporaryFolder,
};
use scythe_diag::{Diagnostic, Report};
use scythe_image::Image;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// The reason why a compiler wrote no code.
pub enum Fault {
    /// A temporary folder cannot be made.
    Folder { folder: PathBuf, error: io::Error },
    /// The compiler's input cannot be written.
    Input { file: PathBuf, error: io::Error },
    /// The compiler cannot be started.
    Start { program: PathBuf, error: io::Error },
    /// The compiler failed.
    Status(ExitStatus),
    /// The compiler's output is missing or is not code. The text continues a sentence about the
    /// compiler.
    Output(String),
}

impl Fault {
    /// Makes the diagnostic. `compiler` is the name of the compiler in messages.
    pub fn report(&self, target: &str, compiler: &str) -> Diagnostic {
        let (target, compiler) = (target.to_owned(), compiler.to_owned());
        let shown = |path: &Path| path.display().to_string();
        match self {
            Self::Folder { folder, error } => {
                NoTemporaryFolder { folder: shown(folder), reason: error.to_string() }.report()
            }
            Self::Input { file, error } => {
                let (file, reason) = (shown(file), error.to_string());
                CompilerInput { target, file, reason }.report()
            }
            Self::Start { program, error } => {
                let (program, reason) = (shown(program), error.to_string());
                CompilerNotStarted { target, compiler, program, reason }.report()
            }
            Self::Status(status) => {
                CompilerFailed { target, compiler, status: status.to_string() }.report()
            }
            Self::Output(reason) => {
                NoCompilerOutput { target, compiler, reason: reason.clone() }.report()
            }
        }
    }
}

/// A failed run of a compiler, with the text that the compiler printed.
pub struct FailedRun {
    pub fault: Fault,
    pub log: String,
}

impl From<Fault> for FailedRun {
    fn from(fault: Fault) -> Self {
        Self { fault, log: String::new() }
    }
}

/// Makes a folder below `folder` that only this user can read. The folder is removed with the
/// value.
pub fn temporary_folder(folder: &Path) -> Result<tempfile::TempDir, Fault> {
    tempfile::Builder::new()
        .prefix(".device-link-")
        .tempdir_in(folder)
        .map_err(|error| Fault::Folder { folder: folder.to_owned(), error })
}

/// Returns a command as a line for a shell.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted = words.map(|word| {
        let word = word.to_string_lossy();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
        match !word.is_empty() && word.chars().all(is_plain) {
            true => word.into_owned(),
            false => format!("'{}'", word.replace('\'', "'\\''")),
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Returns the size and the modification time of a file, which identify its version.
pub fn stamp(path: &Path) -> Option<(u64, std::time::SystemTime)> {
    let data = std::fs::metadata(path).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// Returns the key of a part's code in the link cache. `fields` are all other inputs of the
/// compiler.
pub fn key(part: &Image, fields: &[&[u8]]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(blake3::hash(&part.code).as_bytes());
    for field in fields {
        // The length before each field keeps different lists of fields apart.
        hasher.update(&(field.len() as u64).to_le_bytes()).update(field);
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let mut command = Command::new("/opt/my tools/ptxas");
        command.args(["-arch=sm_90", "", "it's"]);
        assert_eq!(shown(&command), r"'/opt/my tools/ptxas' -arch=sm_90 '' 'it'\''s'");
    }
}
