//! Runs the file tests in `tests/filetests/passes`: IR with its passes and its expectations in one file.
//!
//! ```text
//! ; RUN-PASS: linkage,lower-kernel-args    passes of this crate, in order, each verified
//! ; RUN-LLVM: default<O1>                  then a pipeline of LLVM's (optional)
//! ; EXPECT-ERROR: text                     instead of CHECK lines: the passes fail, and the message holds the text
//! ```
//!
//! Everything else that `FileCheck` understands applies to the IR that comes out.

use scythe_llvm::{Context, PassOptions, run_passes};
use scythe_passes::{Options, by_name, pipeline};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn file_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/passes");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|e| e.unwrap().path())
        .collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "ll"));
    files.sort();
    assert!(!files.is_empty(), "no tests in {}", folder.display());
    let failures: Vec<String> =
        files.iter().filter_map(|f| check(f).err().map(|e| format!("{}: {e}", f.display()))).collect();
    assert!(failures.is_empty(), "{} of {} failed\n{}", failures.len(), files.len(), failures.join("\n"));
}

fn check(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let directive = |name: &str| text.lines().find_map(|l| l.strip_prefix(&format!("; {name}: "))).map(str::trim);
    let passes = directive("RUN-PASS").ok_or("no RUN-PASS line")?;
    let passes: Vec<_> = passes
        .split(',')
        .map(|name| by_name(name.trim()).ok_or_else(|| format!("no pass is called '{name}'")))
        .collect::<Result<_, _>>()?;
    let context = Context::new();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let module = context.parse_ir(text.as_bytes(), &name).map_err(|e| e.to_string())?;
    let options = Options { verify: true, ..Options::default() };
    let outcome = pipeline::run(&module, &passes, &options, &mut |_| {});
    match (outcome, directive("EXPECT-ERROR")) {
        (Ok(_), Some(expected)) => return Err(format!("succeeded, expected the error '{expected}'")),
        (Err(error), None) => return Err(error.to_string()),
        (Err(error), Some(expected)) => {
            module.verify().map_err(|e| format!("not valid after an error: {e}"))?;
            let error = error.to_string();
            return if error.contains(expected) {
                Ok(())
            } else {
                Err(format!("'{error}' does not hold '{expected}'"))
            };
        }
        (Ok(_), None) => {}
    }
    if let Some(pipeline) = directive("RUN-LLVM") {
        run_passes(&module, pipeline, None, PassOptions::default()).map_err(|e| e.to_string())?;
    }
    // Every output must survive the way through a file.
    context.parse_bitcode(&module.to_bitcode(), "again").map_err(|e| e.to_string())?;
    file_check(file, &module.to_string())
}

fn file_check(file: &Path, ir: &str) -> Result<(), String> {
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    let tools = [PathBuf::from("FileCheck-22"), Path::new(&prefix).join("bin/FileCheck")];
    let spawn = |tool: &PathBuf| {
        let mut command = Command::new(tool);
        command.arg(file).args(["--dump-input=never", "--color=0"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()
    };
    let mut child = tools.iter().find_map(spawn).ok_or("FileCheck of LLVM 22 is not installed")?;
    // FileCheck may end before it has read everything.
    let _ = child.stdin.take().expect("piped").write_all(ir.as_bytes());
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}\n--- IR ---\n{ir}", String::from_utf8_lossy(&output.stderr)))
}
