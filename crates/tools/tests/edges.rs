//! The edges of the program: arguments that are not text, and an output that cannot be written.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

fn tools() -> Command {
    Command::new(env!("CARGO_BIN_EXE_scythe-tools"))
}

#[test]
fn an_argument_that_is_not_utf8_is_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let name = OsStr::from_bytes(b"x\xff.o");
    let output = tools()
        .args(["device-link", "-o"])
        .arg(name)
        .arg("a.bc")
        .current_dir(dir.path())
        .output()
        .expect("the tool runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "scythe-tools: error: argument 3 is not UTF-8: 'x\u{fffd}.o' [scythe-E0381]\n"
    );
    assert_eq!(std::fs::read_dir(dir.path()).expect("readable").count(), 0);
}

#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("the device exists");
    let child = tools().arg("--help").stdout(full).stderr(Stdio::piped()).spawn();
    let output = child.and_then(|child| child.wait_with_output()).expect("the tool runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "standard output: error: cannot write: No space left on device [scythe-E0333]\n"
    );
}
