//! The map file of `perf`: lines with the address and the size in hexadecimal, and the name.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

use super::Function;

pub(super) struct Map {
    file: File,
    path: PathBuf,
}

impl Map {
    pub(super) fn create() -> Result<Self, String> {
        let path = PathBuf::from(format!("/tmp/perf-{}.map", std::process::id()));
        let fail =
            |why: &dyn std::fmt::Display| format!("cannot write '{}': {why}", path.display());
        let mut options = File::options();
        // Other users can create files of this name.
        options.write(true).create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
        let file = options.open(&path).map_err(|error| fail(&error))?;
        let data = file.metadata().map_err(|error| fail(&error))?;
        // SAFETY: the call has no preconditions.
        if !data.is_file() || data.uid() != unsafe { libc::geteuid() } || data.nlink() != 1 {
            return Err(fail(&"another user's file has this name"));
        }
        file.set_len(0).map_err(|error| fail(&error))?;
        Ok(Self { file, path })
    }

    pub(super) fn add(&mut self, names: &[String], functions: &[Function]) -> Result<(), String> {
        let mut text = String::new();
        for (name, function) in names.iter().zip(functions) {
            let name = name.replace('\n', " ");
            let _ = writeln!(text, "{:x} {:x} {name}", function.address, function.size);
        }
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|error| format!("cannot write '{}': {error}", self.path.display()))
    }
}
