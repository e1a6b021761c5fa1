//! Formatting and lints, for Rust and C++.

use std::path::PathBuf;
use std::process::Command;

use crate::columns;
use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::workspace::{cargo, files, root};

/// Folders with Scythe's C++ code. Wrong programs and inputs of file tests are excluded, because
/// their expectations name lines and columns.
const CPP: [&str; 9] = [
    "include",
    "examples",
    "benches",
    "device-lib",
    "tests/e2e",
    "tests/accuracy",
    "crates/device-config/include",
    "crates/frontend/shim",
    "crates/llvm/shim",
];

/// Formats all files.
pub fn format() -> Result<(), String> {
    setup::ensure(Purpose::Test)?;
    process::run(cargo().args(["fmt", "--all"]))?;
    process::run(Command::new("clang-format-22").arg("-i").args(cpp()?))
}

/// Checks formatting and lints.
pub fn check() -> Result<(), String> {
    setup::ensure(Purpose::Test)?;
    check_format()?;
    clippy()
}

pub fn check_format() -> Result<(), String> {
    progress("checking formats");
    process::run(cargo().args(["fmt", "--all", "--check"]))?;
    // The command names every file, so it would hide the findings.
    process::run(Command::new("clang-format-22").args(["--dry-run", "-Werror"]).args(cpp()?))
        .map_err(|_| "clang-format-22 would change C++ files: run 'cargo xtask fmt'".to_owned())?;
    columns::check().map(|_| ())
}

pub fn clippy() -> Result<(), String> {
    progress("checking lints");
    process::run(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn cpp() -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for folder in CPP {
        all.extend(files(&root().join(folder), &["h", "hpp", "cpp"])?);
    }
    Ok(all)
}
