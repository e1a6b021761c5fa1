//! The speed of programs: kernels against the same loops with OpenMP, and the cost of a launch.
//!
//! Each program in `benches` prints `name value` lines, with times in seconds. Compiled with
//! `-DBASELINE`, a program contains the plain loops.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Limit, Numbers, Report, value};
use crate::process::{self, Scratch, progress};
use crate::workspace::root;

const ROUNDS: usize = 5;
const LIMIT: Duration = Duration::from_secs(300);
/// The options of both sides.
const FLAGS: [&str; 3] = ["-std=c++17", "-O3", "-march=native"];

pub fn measure(prefix: &Path) -> Result<Report, String> {
    let scratch = Scratch::new("bench")?;
    let mut report = Report::default();
    for name in ["saxpy", "stencil3d"] {
        against_openmp(prefix, scratch.path(), name, &mut report)?;
    }
    launches(prefix, scratch.path(), &mut report)?;
    accessors(prefix, scratch.path(), &mut report)?;
    Ok(report)
}

/// Runs both programs in turn. The best time of each counts.
fn against_openmp(
    prefix: &Path,
    folder: &Path,
    name: &str,
    report: &mut Report,
) -> Result<(), String> {
    progress(&format!("{name}, 2^26 floats, best of {ROUNDS} runs"));
    let sycl = with_scythe(prefix, folder, name)?;
    let source = root().join(format!("benches/{name}.cpp"));
    let baseline = folder.join(format!("{name}-openmp"));
    let mut clang = Command::new("clang++-22");
    clang.args(FLAGS).args(["-fopenmp", "-DBASELINE"]).arg(source).arg("-o").arg(&baseline);
    process::output(&mut clang)?;
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        theirs = theirs.min(value(&numbers(&baseline)?, "seconds")?);
        ours = ours.min(value(&numbers(&sycl)?, "seconds")?);
    }
    report.add(
        format!("{name}: clang++ {} -fopenmp", FLAGS[1..].join(" ")),
        theirs * 1e3,
        " ms",
        Limit::None,
    );
    report.add(
        format!("{name}: scythe -fsycl {}", FLAGS[1..].join(" ")),
        ours * 1e3,
        " ms",
        Limit::None,
    );
    report.add(format!("{name}: speed against OpenMP"), theirs / ours, "x", Limit::AtLeast(0.95));
    Ok(())
}

fn launches(prefix: &Path, folder: &Path, report: &mut Report) -> Result<(), String> {
    progress(&format!("launches, best of {ROUNDS} runs"));
    let program = with_scythe(prefix, folder, "launch")?;
    let mut best = Numbers::new();
    for _ in 0..ROUNDS {
        for (name, value) in numbers(&program)? {
            let entry = best.entry(name).or_insert(f64::INFINITY);
            *entry = entry.min(value);
        }
    }
    report.add(
        "empty kernel, in-order queue, each of 10,000",
        value(&best, "empty")? * 1e6,
        " us",
        Limit::AtMost(2.0),
    );
    report.add(
        "submit of a 100 ms kernel returns after",
        value(&best, "submit")? * 1e6,
        " us",
        Limit::AtMost(50.0),
    );
    report.add("submit and wait, each", value(&best, "submit_and_wait")? * 1e6, " us", Limit::None);
    report.add("first kernel, nothing built yet", value(&best, "first")? * 1e3, " ms", Limit::None);
    Ok(())
}

/// The cost of accessors: small kernels with buffers against the same kernels with USM.
fn accessors(prefix: &Path, folder: &Path, report: &mut Report) -> Result<(), String> {
    progress(&format!("accessors, best of {ROUNDS} runs"));
    let program = with_scythe(prefix, folder, "buffers")?;
    let run = || numbers(&program);
    compare_accessors("", run, report)
}

/// Adds the rows of the program `buffers`, which `run` runs. `on` names the device.
pub(super) fn compare_accessors(
    on: &str,
    run: impl Fn() -> Result<Numbers, String>,
    report: &mut Report,
) -> Result<(), String> {
    let mut best = Numbers::new();
    for _ in 0..ROUNDS {
        for (name, value) in run()? {
            let entry = best.entry(name).or_insert(f64::INFINITY);
            *entry = entry.min(value);
        }
    }
    let usm = value(&best, "usm")?;
    report.add(format!("small kernel with USM{on}"), usm * 1e6, " us", Limit::None);
    for (name, what) in [
        ("buffers", "the same with three accessors, in-order queue"),
        ("buffers_unordered", "the same with three accessors, out-of-order queue"),
    ] {
        let ratio = value(&best, name)? / usm;
        report.add(format!("{what}{on}"), ratio, "x", Limit::AtMost(2.0));
    }
    Ok(())
}

fn with_scythe(prefix: &Path, folder: &Path, name: &str) -> Result<PathBuf, String> {
    let program = folder.join(name);
    let mut scythe = Command::new(prefix.join("bin/scythe"));
    scythe
        .arg("-fsycl")
        .args(FLAGS)
        .arg(root().join(format!("benches/{name}.cpp")))
        .arg("-o")
        .arg(&program);
    process::output(&mut scythe)?;
    Ok(program)
}

fn numbers(program: &Path) -> Result<Numbers, String> {
    let mut command = Command::new(program);
    // The time of a first kernel includes the time to build it.
    command.env("SYCL_CACHE_PERSISTENT", "0");
    super::numbers(&mut command, LIMIT)
}
