//! `cargo xtask fuzz KIND [--count N] [--seed S]`: compares random kernels on the CPU device with a
//! reference (`tests/fuzz`). `cargo xtask fuzz formats` feeds mutated bytes to readers
//! (`tests/formats`).

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::opencl;
use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::{cargo, target};

/// The kinds of kernels, and the number of kernels that the tests run. The tests always run the
/// same kernels.
const KINDS: [(&str, &str); 3] = [("barriers", "400"), ("control", "80"), ("kernels", "40")];

/// The inputs for each reader that the tests run.
const INPUTS: &str = "4000";

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    if let Some(("formats", options)) = args.split_first().map(|(kind, rest)| (&**kind, rest)) {
        return formats(options);
    }
    let kinds = KINDS.map(|(kind, _)| kind).join(", ");
    let (kind, options) = match args.split_first() {
        Some((kind, options)) if KINDS.iter().any(|(known, _)| known == kind) => (kind, options),
        Some((other, _)) => {
            return Err(format!("unknown kind of kernels '{other}'; expected {kinds} or formats"));
        }
        None => {
            return Err(format!(
                "'fuzz' needs {kinds} or formats, and accepts [--count N] [--seed S]"
            ));
        }
    };
    setup::ensure(Purpose::Test)?;
    let (options, given) = stage::take_installed(options, "--prefix")?;
    let prefix = stage::given_or_staged(given, Profile::Release)?;
    process::run(&mut fuzzer(kind, &prefix, &options)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the fuzzer as a stage of the tests.
pub fn check(prefix: &Path) -> Result<String, String> {
    for (kind, count) in KINDS {
        let options = ["--count", count, "--seed", "1"].map(str::to_owned);
        process::run(&mut fuzzer(kind, prefix, &options)?)?;
    }
    let mut readers = reader_fuzzer(false)?;
    process::run(readers.args(["--seed", "1", "--executions", INPUTS]))?;
    let kernels = KINDS.map(|(kind, count)| format!("{kind} {count}")).join(", ");
    Ok(format!("random kernels ({kernels}), {INPUTS} inputs for each reader"))
}

/// Fuzzes readers, with coverage.
fn formats(options: &[String]) -> Result<ExitCode, String> {
    setup::ensure(Purpose::Test)?;
    process::run(cargo().args(["build", "-p", "scythe-tools"]))?;
    let mut fuzzer = reader_fuzzer(true)?;
    fuzzer.arg("--tools").arg(target().join("debug/scythe-tools")).args(options);
    process::run(&mut fuzzer)?;
    Ok(ExitCode::SUCCESS)
}

/// Builds the fuzzer of readers. With coverage, it and all that it uses are compiled apart.
fn reader_fuzzer(coverage: bool) -> Result<Command, String> {
    progress("building the fuzzer of readers");
    let mut build = cargo();
    build.args(["build", "-p", "scythe-fuzz-formats"]);
    let mut folder = target();
    if coverage {
        folder = folder.join("fuzz/build");
        build.args(["--features", "coverage"]).env("CARGO_TARGET_DIR", &folder);
        build.env("RUSTFLAGS", "-C instrument-coverage");
        // Build scripts are compiled in the same way, and would write profiles.
        build.env("LLVM_PROFILE_FILE", "/dev/null");
    }
    process::run(&mut build)?;
    let mut command = Command::new(folder.join("debug/scythe-fuzz-formats"));
    command.arg("--failures").arg(target().join("fuzz/formats"));
    command.env("LLVM_PROFILE_FILE", "/dev/null");
    Ok(command)
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
    if let Some(libraries) = opencl::installed() {
        command.arg("--opencl").arg(libraries);
    }
    Ok(command)
}
