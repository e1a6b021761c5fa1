//! `cargo xtask run FILE [ARGS]`: sets up the machine, builds Scythe, and compiles and runs a SYCL
//! program.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::target;

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    let Some((file, args)) = args.split_first() else {
        return Err("'run' needs a source file, for example examples/vector_add.cpp".to_owned());
    };
    let source = find(file)?;
    setup::ensure(Purpose::Build)?;
    let prefix = stage::stage(Profile::Release)?;
    let folder = target().join("run");
    std::fs::create_dir_all(&folder)
        .map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    let program = folder.join(source.file_stem().unwrap_or_default());
    progress(&format!("compiling {file}"));
    process::run(
        Command::new(prefix.join("bin/scythe"))
            .args(["-fsycl", "-O2"])
            .arg(&source)
            .arg("-o")
            .arg(&program),
    )?;
    progress(&format!("running {}", program.display()));
    process::run(Command::new(&program).args(args))?;
    Ok(ExitCode::SUCCESS)
}

/// Resolves a path relative to the user's folder, which is also the folder in which cargo runs
/// xtask.
fn find(file: &str) -> Result<PathBuf, String> {
    let path = Path::new(file);
    if path.is_file() {
        Ok(path.to_owned())
    } else {
        Err(format!("the file '{file}' does not exist"))
    }
}
