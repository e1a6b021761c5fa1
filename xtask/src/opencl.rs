//! Intel's OpenCL runtime for CPUs, from PyPI. Tests and benchmarks of OpenCL devices use it.
//!
//! `cargo xtask test --backend opencl` runs every end-to-end program on it, and then breaks the
//! driver in several ways.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::e2e::{self, Backend};
use crate::process::{self, CACHE, Outcome, Scratch, capture, progress};
use crate::workspace::{cargo, root, target};

const PACKAGES: [&str; 2] = ["intel-opencl-rt==2026.2.0", "intel-cmplr-lib-rt==2026.2.0"];
const LIMIT: Duration = Duration::from_secs(120);

/// Returns the virtual environment of the runtime.
fn environment() -> PathBuf {
    target().join("bench-opencl")
}

/// Returns the folder of the runtime's libraries, if [`runtime`] has installed them.
pub fn installed() -> Option<PathBuf> {
    let environment = environment();
    let libraries = environment.join("lib");
    let packages = std::fs::read_to_string(environment.join("packages")).ok()?;
    let is_whole = packages == PACKAGES.join("\n") && libraries.join("libintelocl.so").exists();
    is_whole.then_some(libraries)
}

/// Installs the runtime into a virtual environment below the target folder, if it is missing.
/// Returns the folder of its libraries.
pub fn runtime() -> Result<PathBuf, String> {
    if let Some(libraries) = installed() {
        return Ok(libraries);
    }
    let environment = environment();
    let libraries = environment.join("lib");
    let stamp = environment.join("packages");
    progress(&format!("installing {} from PyPI", PACKAGES.join(" and ")));
    process::output(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let mut pip = Command::new(environment.join("bin/pip"));
    process::output(pip.args(["install", "--quiet"]).args(PACKAGES))?;
    let library = libraries.join("libintelocl.so");
    if !library.exists() {
        return Err(format!("{} does not contain {}", PACKAGES[0], library.display()));
    }
    std::fs::write(&stamp, PACKAGES.join("\n"))
        .map_err(|e| format!("cannot write {}: {e}", stamp.display()))?;
    Ok(libraries)
}

/// Returns the variables for `env` by which OpenCL's loader finds the runtime.
pub fn variables(libraries: &Path) -> [String; 2] {
    let folder = libraries.display();
    [format!("OCL_ICD_FILENAMES={folder}/libintelocl.so"), format!("LD_LIBRARY_PATH={folder}")]
}

/// Runs all end-to-end programs on OpenCL devices, then tests broken drivers.
pub fn test(prefix: &Path, filters: &[String]) -> Result<String, String> {
    let libraries = runtime()?;
    let tally = e2e::run(prefix, filters, &Backend::OpenCl(libraries.clone()))?;
    let mut failures = tally.failures;
    let mut passed = tally.passed;
    if filters.is_empty() {
        for result in [driver_tests(&libraries), broken_drivers(prefix, &libraries)] {
            match result {
                Ok(checks) => passed += checks,
                Err(why) => failures.push(why),
            }
        }
    }
    match failures.is_empty() {
        true => Ok(format!("{passed} programs and checks")),
        false => Err(format!(
            "{} of {} failed:\n{}",
            failures.len(),
            passed + failures.len(),
            failures.join("\n")
        )),
    }
}

/// Runs the backend's tests that need a driver. cargo itself must not find the driver's libraries
/// before its own.
fn driver_tests(libraries: &Path) -> Result<usize, String> {
    let runner =
        format!("CARGO_TARGET_{}_UNKNOWN_LINUX_GNU_RUNNER", std::env::consts::ARCH.to_uppercase());
    let mut command = cargo();
    command.args(["test", "--quiet", "-p", "scythe-backend-opencl", "--test", "driver"]);
    command.env(runner, format!("env {}", variables(libraries).join(" ")));
    process::output(&mut command).map(|_| 1)
}

/// One run of a program or tool: variables for `env`, the command, and the expected result.
struct Check<'a> {
    name: &'a str,
    variables: Vec<String>,
    program: PathBuf,
    args: &'a [&'a str],
    succeeds: bool,
    /// Texts that the output must contain.
    shows: &'a [&'a str],
}

fn broken_drivers(prefix: &Path, libraries: &Path) -> Result<usize, String> {
    let scratch = Scratch::new("opencl")?;
    let program = scratch.path().join("vector_add");
    let mut compile = Command::new(prefix.join("bin/scythe"));
    compile
        .args(["-fsycl", "-O1"])
        .arg(root().join("examples/vector_add.cpp"))
        .arg("-o")
        .arg(&program);
    process::output(&mut compile)?;
    let selector = |value: &str| format!("ONEAPI_DEVICE_SELECTOR={value}");
    let no_driver = || {
        vec![
            "OCL_ICD_FILENAMES=/nowhere/libnone.so".to_owned(),
            "OCL_ICD_VENDORS=/nowhere".to_owned(),
        ]
    };
    let with = |mut list: Vec<String>, more: String| {
        list.push(more);
        list
    };
    let list = prefix.join("bin/sycl-ls");
    let damaged = scratch.path().join("libdamaged.so");
    std::fs::write(&damaged, b"no library")
        .map_err(|e| format!("cannot write {}: {e}", damaged.display()))?;
    let checks = [
        Check {
            name: "sycl-ls shows both CPU devices",
            variables: variables(libraries).to_vec(),
            program: list.clone(),
            args: &[],
            succeeds: true,
            shows: &[
                "[native_cpu:cpu][native_cpu:0] Scythe CPU",
                "[opencl:cpu][opencl:0] Intel(R) OpenCL",
            ],
        },
        Check {
            name: "sycl-ls --verbose names a driver that cannot be loaded, and why",
            variables: vec![
                format!("OCL_ICD_FILENAMES={}", damaged.display()),
                "OCL_ICD_VENDORS=/nowhere".to_owned(),
            ],
            program: list,
            args: &["--verbose"],
            succeeds: true,
            shows: &[
                "[native_cpu:cpu][native_cpu:0]",
                "libdamaged.so",
                "cannot be loaded",
                "file too short",
            ],
        },
        Check {
            name: "a program that wants OpenCL where there is no driver is told so",
            variables: with(no_driver(), selector("opencl:*")),
            program: program.clone(),
            args: &[],
            succeeds: false,
            shows: &["no device", "the OpenCL loader found no driver", "ONEAPI_DEVICE_SELECTOR"],
        },
        Check {
            name: "a program that does not care runs on the CPU where there is no driver",
            variables: no_driver(),
            program: program.clone(),
            args: &[],
            succeeds: true,
            shows: &["is correct"],
        },
        Check {
            name: "a selector that makes no sense is an error",
            variables: vec![selector("opencl=cpu")],
            program,
            args: &[],
            succeeds: false,
            shows: &["ONEAPI_DEVICE_SELECTOR is 'opencl=cpu'"],
        },
    ];
    for check in &checks {
        let outcome = check.run(scratch.path())?;
        let text = format!("{}{}", outcome.stdout, outcome.stderr);
        let missing: Vec<_> = check.shows.iter().filter(|part| !text.contains(**part)).collect();
        let fine = outcome.success() == check.succeeds && !outcome.timed_out && missing.is_empty();
        eprintln!("    {} {}", if fine { "ok    " } else { "FAILED" }, check.name);
        if !fine {
            return Err(format!("{}: lacks {missing:?}: {}", check.name, outcome.describe()));
        }
    }
    Ok(checks.len())
}

impl Check<'_> {
    fn run(&self, folder: &Path) -> Result<Outcome, String> {
        let mut command = Command::new("env");
        command.args(&self.variables).arg(format!("{CACHE}={}", folder.join("cache").display()));
        capture(command.arg(&self.program).args(self.args).current_dir(folder), LIMIT)
    }
}
