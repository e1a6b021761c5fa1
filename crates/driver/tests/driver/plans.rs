//! Plans, as `-###` prints them: each file in `tests/filetests/driver` holds one command and the lines to expect.
//!
//! `FILE: name` lines name files to make before: C++ sources with SYCL, others empty, or all with the text after ` := `. The
//! `RUN: …` line holds the arguments; `FileCheck` compares the output
//! with the other lines. `[[PREFIX]]` is the installed tree, `[[TMP]]` the folder for temporary files.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::tree::{SYCL, Tree, start};

#[test]
fn plans_are_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/driver");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of file tests can be read")
        .map(|entry| entry.expect("its entries can be read").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no file tests in {}", folder.display());
    let failures: Vec<String> = files.iter().filter_map(|f| check(f).err()).collect();
    assert!(failures.is_empty(), "{} of {} failed:\n{}", failures.len(), files.len(), failures.join("\n"));
}

/// Runs one file's command and compares.
fn check(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let lines = |key: &str| -> Vec<String> {
        text.lines().filter_map(|l| l.split_once(key).map(|(_, v)| v.trim().to_owned())).collect()
    };
    let tree = Tree::new();
    for line in lines("FILE:") {
        let sycl = if line.ends_with(".cpp") { SYCL } else { "" };
        let (name, text) = line.split_once(" := ").unwrap_or((&line, sycl));
        tree.write(name, text);
    }
    let run = lines("RUN:").into_iter().next().ok_or_else(|| format!("{}: no RUN: line", file.display()))?;
    let args = scythe_driver::response::split(&run);
    let output = tree.scythe(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let mut command = Command::new("FileCheck-22");
    command.arg(file).arg("--allow-empty");
    command.arg(format!("-DPREFIX={}", tree.prefix().display())).arg(format!("-DTMP={}", tree.tmp().display()));
    let mut filecheck = start(command.stdin(Stdio::piped()).stderr(Stdio::piped()));
    let mut input = filecheck.stdin.take().expect("standard input is piped");
    // Where it ends early, its own message says why.
    let _ = std::io::Write::write_all(&mut input, output.text.as_bytes());
    drop(input);
    let result = filecheck.wait_with_output().map_err(|e| format!("FileCheck-22: {e}"))?;
    if result.status.success() {
        return Ok(());
    }
    Err(format!("{}:\n{}\noutput:\n{}", file.display(), String::from_utf8_lossy(&result.stderr), output.text))
}
