//! The file tests of this crate: its passes, and the lowering for CPUs and NVIDIA GPUs.
//!
//! Each module is the tool of one folder. `docs/file-tests.md` describes the language.

mod aspects;
mod cpu;
mod nvptx;
mod passes;

use scythe_llvm::Module;
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

/// Returns the name of a file for messages, and its IR.
fn read(file: &str) -> Result<(String, String), String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, text))
}

/// Parses the number of an option.
fn number<T: std::str::FromStr>(option: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("'{value}' is not a number for '{option}'"))
}

/// The text of a module after the stage that a test wants.
struct Observer<'a> {
    wanted: &'a str,
    seen: Option<String>,
}

impl<'a> Observer<'a> {
    fn new(wanted: &'a str) -> Self {
        Self { wanted, seen: None }
    }

    /// Verifies `module` after `stage`, and keeps its text if the test wants the stage.
    fn observe(&mut self, stage: &str, module: &Module<'_>) -> Result<(), scythe_llvm::Error> {
        module.verify()?;
        if stage.ends_with(self.wanted) {
            self.seen = Some(module.to_string());
        }
        Ok(())
    }

    fn text(self) -> Result<String, String> {
        self.seen.ok_or_else(|| format!("no stage is called '{}'", self.wanted))
    }
}
