//! The file tests of the stages that `scythe-tools` has commands for.
//!
//! `docs/file-tests.md` describes the language.

use std::process::ExitCode;

fn main() -> ExitCode {
    scythe_filetest::Suite::new()
        .folder("tests/filetests/image")
        .folder("tests/filetests/split")
        .folder("tests/filetests/properties")
        .program("scythe-tools", env!("CARGO_BIN_EXE_scythe-tools"))
        .main()
}
