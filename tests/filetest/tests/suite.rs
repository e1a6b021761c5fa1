//! Tests of this crate: functions as tools, their failures and panics, and diagnostics.

use std::process::ExitCode;

fn main() -> ExitCode {
    scythe_filetest::Suite::new()
        .folder("tests/filetest/tests/cases")
        .function("prints", |args| Ok(format!("printed: {}\n", args.join(" "))))
        .function("refuses", |args| Err(format!("refused: {}", args.join(" "))))
        .function("panics", |_| panic!("a defect"))
        .main()
}
