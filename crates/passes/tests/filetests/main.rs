//! The file tests of this crate: its passes, and the lowering for CPUs and NVIDIA GPUs.
//!
//! Each module is the tool of one folder. `docs/file-tests.md` describes the language.

mod aspects;
mod cpu;
mod nvptx;
mod passes;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    scythe_filetest::Suite::new()
        .folder("tests/filetests/passes")
        .function("run-passes", passes::run)
        .folder("tests/filetests/passes/aspects")
        .function("infer-aspects", aspects::run)
        .folder("tests/filetests/cpu")
        .function("lower-cpu", cpu::run)
        .folder("tests/filetests/nvptx")
        .function("lower-nvptx", nvptx::run)
        .main()
}

/// The IR of a file, and the name that messages give it.
fn read(file: &str) -> Result<(String, String), String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, text))
}

/// A number of an option.
fn number<T: std::str::FromStr>(option: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("'{value}' is not a number for '{option}'"))
}
