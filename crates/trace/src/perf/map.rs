//! The map file of `perf`: lines with the address and the size in hexadecimal, and the name.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use scythe_own_files::Output;

use super::Function;

pub(super) struct Map {
    file: File,
    path: PathBuf,
}

impl Map {
    pub(super) fn create() -> Result<Self, String> {
        let path = PathBuf::from(format!("/tmp/perf-{}.map", std::process::id()));
        let fail = |error| format!("cannot write '{}': {error}", path.display());
        // Other users can create files of this name.
        let output = Output { mode: 0o600, ..Output::default() };
        let file = output.open(&path).map_err(fail)?;
        file.set_len(0).map_err(fail)?;
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
