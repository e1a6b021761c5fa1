//! `cargo xtask fuzz KIND [--count N] [--seed S]`: compares random kernels on the CPU device with a
//! reference (`tests/fuzz`).

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::{cargo, target};

/// The kinds of kernels, and the number of kernels that the tests run. The tests always run the
/// same kernels.
const KINDS: [(&str, &str); 2] = [("barriers", "400"), ("control", "80")];

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    let kinds = KINDS.map(|(kind, _)| kind).join(" or ");
    let (kind, options) = match args.split_first() {
        Some((kind, options)) if KINDS.iter().any(|(known, _)| known == kind) => (kind, options),
        Some((other, _)) => {
            return Err(format!("unknown kind of kernels '{other}'; expected {kinds}"));
        }
        None => return Err(format!("'fuzz' needs {kinds}, and accepts [--count N] [--seed S]")),
    };
    setup::ensure(Purpose::Test)?;
    let prefix = stage::stage(Profile::Release)?;
    process::run(&mut fuzzer(kind, &prefix, options)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the fuzzer as a stage of the tests.
pub fn check(prefix: &Path) -> Result<String, String> {
    for (kind, count) in KINDS {
        let options = ["--count", count, "--seed", "1"].map(str::to_owned);
        process::run(&mut fuzzer(kind, prefix, &options)?)?;
    }
    Ok(KINDS.map(|(kind, count)| format!("{count} kernels of {kind}")).join(", "))
}

/// Builds the fuzzer, which saves failing kernels below the target folder.
fn fuzzer(kind: &str, prefix: &Path, options: &[String]) -> Result<Command, String> {
    progress("building the fuzzer");
    process::run(cargo().args(["build", "-p", "scythe-fuzz"]))?;
    let mut command = Command::new(target().join("debug/scythe-fuzz"));
    command
        .arg(kind)
        .arg("--prefix")
        .arg(prefix)
        .arg("--failures")
        .arg(target().join("fuzz"))
        .args(options);
    Ok(command)
}
