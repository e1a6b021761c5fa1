//! `cargo xtask fuzz barriers [--count N] [--seed S]`: random kernels on the CPU device against host mode (`tests/fuzz`).

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::{cargo, target};

/// How many kernels the tests run, always the same ones.
const TESTED: &str = "2000";

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    let Some(("barriers", options)) = args.split_first().map(|(what, options)| (what.as_str(), options)) else {
        return Err("'fuzz' wants 'barriers [--count N] [--seed S]'".to_owned());
    };
    setup::ensure(Purpose::Test)?;
    let prefix = stage::stage(Profile::Release)?;
    process::run(&mut fuzzer(&prefix, options)?)?;
    Ok(ExitCode::SUCCESS)
}

/// The stage of the tests.
pub fn check(prefix: &Path) -> Result<String, String> {
    let options = ["--count", TESTED, "--seed", "1"].map(str::to_owned);
    process::run(&mut fuzzer(prefix, &options)?)?;
    Ok(format!("{TESTED} kernels"))
}

/// Builds the fuzzer, which saves what fails below the target folder.
fn fuzzer(prefix: &Path, options: &[String]) -> Result<Command, String> {
    progress("building the fuzzer");
    process::run(cargo().args(["build", "-p", "scythe-fuzz"]))?;
    let mut command = Command::new(target().join("debug/scythe-fuzz"));
    command.arg("barriers").arg("--prefix").arg(prefix).arg("--failures").arg(target().join("fuzz")).args(options);
    Ok(command)
}
