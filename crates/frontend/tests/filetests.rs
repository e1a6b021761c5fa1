//! The file tests of the front end: messages (`tests/diag`) and IR (`tests/ir` of this crate).
//!
//! `docs/file-tests.md` describes the language.

mod common;

use std::path::Path;
use std::process::{ExitCode, Output};

fn main() -> ExitCode {
    scythe_filetest::Suite::new()
        .folder("tests/diag")
        .function("device-pass", device_pass)
        .folder("crates/frontend/tests/ir")
        .function("device-ir", device_ir)
        .main()
}

fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// `device-pass [OPTION...] FILE`: compiles to `out.bc` with `-O1`, and prints the messages. The
/// file must exist exactly if the pass succeeds.
fn device_pass(args: &[String]) -> Result<String, String> {
    let (file, options) = args.split_last().ok_or("usage: device-pass [OPTION...] FILE")?;
    let mut all = vec!["-O1", "-c", "-emit-llvm", "-o", "out.bc"];
    all.extend(options.iter().map(String::as_str));
    let output = common::device_pass(Path::new("."), Path::new(file), &all);
    let succeeded = output.status.success();
    assert!(
        output.status.code().is_some(),
        "the device pass ended with {}:\n{}",
        output.status,
        messages(&output)
    );
    assert_eq!(
        Path::new("out.bc").exists(),
        succeeded,
        "is there an output?\n{}",
        messages(&output)
    );
    if succeeded { Ok(messages(&output)) } else { Err(messages(&output)) }
}

/// `device-ir [OPTION...] FILE`: prints the IR. Paths are relative to the file's folder. The pass
/// must print no message, and the same IR twice.
fn device_ir(args: &[String]) -> Result<String, String> {
    let (file, options) = args.split_last().ok_or("usage: device-ir [OPTION...] FILE")?;
    let (folder, name) = match (Path::new(file).parent(), Path::new(file).file_name()) {
        (Some(folder), Some(name)) => (folder, Path::new(name)),
        _ => return Err(format!("'{file}' names no file")),
    };
    let mut all = vec!["-S", "-emit-llvm", "-o", "-"];
    all.extend(options.iter().map(String::as_str));
    let first = common::device_pass(folder, name, &all);
    if !first.status.success() || !first.stderr.is_empty() {
        return Err(messages(&first));
    }
    if common::device_pass(folder, name, &all).stdout != first.stdout {
        return Err("two runs give different IR".into());
    }
    String::from_utf8(first.stdout).map_err(|e| e.to_string())
}
