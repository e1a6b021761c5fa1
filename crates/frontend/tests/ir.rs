//! Programs of `tests/ir` become the IR that their `CHECK` comments describe.
//!
//! A line `// ARGS: …` adds arguments to the compiler's command line.

mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn programs_become_the_ir_they_describe() {
    let files = common::sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ir"));
    common::for_each(&files, |file| {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let folder = file.parent().expect("a file lies in a folder");
        let name = Path::new(file.file_name().expect("a file has a name"));
        let mut args = vec!["-S", "-emit-llvm", "-o", "-"];
        args.extend(text.lines().filter_map(|line| line.strip_prefix("// ARGS: ")).flat_map(str::split_whitespace));
        let first = common::device_pass(folder, name, &args);
        if !first.status.success() || !first.stderr.is_empty() {
            return Err(String::from_utf8_lossy(&first.stderr).into_owned());
        }
        if common::device_pass(folder, name, &args).stdout != first.stdout {
            return Err("two runs give different IR".into());
        }
        file_check(file, &first.stdout)
    });
}

fn file_check(file: &Path, ir: &[u8]) -> Result<(), String> {
    let mut check = Command::new(common::llvm_tool("FileCheck"))
        .arg(file)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("FileCheck does not start: {error}"))?;
    // FileCheck may stop reading at the first mismatch; what it says then is what counts.
    let _ = check.stdin.take().expect("it is piped").write_all(ir);
    let output = check.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}\n{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(ir)))
}
