//! Runs the file tests of the stages that `scythe-tools` has commands for.
//!
//! Each file in `tests/filetests/image`, `tests/filetests/split` and `tests/filetests/properties` holds its commands in `RUN:` lines and what it expects
//! in `FileCheck` lines. All commands of a file run in one shell, in an empty folder, where every one must succeed (`not`
//! turns a failure round). `%s` is the file itself. LLVM's tools and `scythe-tools` are found by their names.

use std::path::{Path, PathBuf};
use std::process::Command;

const LLVM_BIN: &str = "/usr/lib/llvm-22/bin";

#[test]
fn image_tools_do_what_their_file_tests_say() {
    check_folder("image");
}

#[test]
fn split_does_what_its_file_tests_say() {
    check_folder("split");
}

#[test]
fn properties_become_what_their_file_tests_say() {
    check_folder("properties");
}

fn check_folder(stage: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests").join(stage);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("the folder's entries can be read").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no file tests in {}", folder.display());
    let failures: Vec<String> = files.iter().filter_map(|file| check(file).err()).collect();
    assert!(failures.is_empty(), "{} of {} failed:\n{}", failures.len(), files.len(), failures.join("\n"));
}

fn check(file: &Path) -> Result<(), String> {
    let fail = |what: String| format!("{}: {what}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| fail(error.to_string()))?;
    let file = file.canonicalize().map_err(|error| fail(error.to_string()))?;
    let commands: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once("RUN:"))
        .map(|(_, command)| command.trim().replace("%s", &format!("'{}'", file.display())))
        .collect();
    if commands.is_empty() {
        return Err(fail("no RUN: line".into()));
    }
    let tools = Path::new(env!("CARGO_BIN_EXE_scythe-tools")).parent().expect("a program stands in a folder");
    let path = format!("{}:{LLVM_BIN}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
    let folder = tempfile::tempdir().map_err(|error| fail(error.to_string()))?;
    let output = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", &commands.join("\n")])
        .current_dir(folder.path())
        .env("PATH", path)
        .output()
        .map_err(|error| fail(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Err(fail(format!("{}\n{stdout}{stderr}", commands.join("\n"))))
}
