//! The cost of submitting a kernel to an OpenCL device, against direct OpenCL calls with the same
//! driver, which is Intel's runtime.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Limit, Report, launch};
use crate::opencl;
use crate::process::{self, CACHE, Scratch, capture};
use crate::workspace::root;

/// The number of rounds. The two programs run in turn, and the fastest run of each counts.
const ROUNDS: usize = 5;
const LIMIT: Duration = Duration::from_secs(120);
/// The maximum cost of SYCL relative to direct calls.
const RATIO: f64 = 1.3;

pub fn measure(prefix: &Path) -> Result<Report, String> {
    let (libraries, scratch) = (opencl::runtime()?, Scratch::new("bench-opencl")?);
    let source = root().join("benches/opencl/submit.cpp");
    let [ours, bare] = ["sycl", "bare"].map(|name| scratch.path().join(name));
    let mut compile = Command::new(prefix.join("bin/scythe"));
    process::output(
        compile.args(["-fsycl", "-std=c++17", "-O3"]).arg(&source).arg("-o").arg(&ours),
    )?;
    let mut compile = Command::new("clang++-22");
    process::output(
        compile
            .args(["-std=c++17", "-O3", "-DPEER_OPENCL"])
            .arg(&source)
            .arg("-o")
            .arg(&bare)
            .arg("-lOpenCL"),
    )?;
    let mut best = [[f64::INFINITY; 2]; 2];
    for _ in 0..ROUNDS {
        for (program, best) in [&ours, &bare].into_iter().zip(&mut best) {
            let mut command = Command::new("env");
            command.args(opencl::variables(&libraries)).arg("ONEAPI_DEVICE_SELECTOR=opencl:*");
            command.arg(format!("{CACHE}={}", scratch.path().join("cache").display())).arg(program);
            let outcome = capture(&mut command, LIMIT)?;
            if !outcome.success() {
                return Err(format!(
                    "'{}' failed: {}",
                    process::shown(&command),
                    outcome.describe()
                ));
            }
            for (name, best) in ["empty", "arguments"].iter().zip(best) {
                let line = outcome
                    .stdout
                    .lines()
                    .find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
                *best =
                    best.min(line.ok_or_else(|| format!("the benchmark did not print '{name}'"))?);
            }
        }
    }
    let mut report = Report::default();
    let [[empty, arguments], [bare_empty, bare_arguments]] = best;
    for (what, seconds, bare) in
        [("an empty kernel", empty, bare_empty), ("eight arguments", arguments, bare_arguments)]
    {
        report.add(format!("submission, {what}"), seconds * 1e6, " us", Limit::None);
        report.add(format!("bare OpenCL calls, {what}"), bare * 1e6, " us", Limit::None);
        report.add(
            format!("submission against bare calls, {what}"),
            seconds / bare,
            "x",
            Limit::AtMost(RATIO),
        );
    }
    let program = scratch.path().join("buffers");
    let source = root().join("benches/buffers.cpp");
    let mut compile = Command::new(prefix.join("bin/scythe"));
    process::output(
        compile.args(["-fsycl", "-std=c++17", "-O3"]).arg(&source).arg("-o").arg(&program),
    )?;
    let run = || {
        let mut command = Command::new("env");
        command.args(opencl::variables(&libraries)).arg("ONEAPI_DEVICE_SELECTOR=opencl:*");
        super::numbers(command.arg(&program), LIMIT)
    };
    launch::compare_accessors(", OpenCL", run, &mut report)?;
    Ok(report)
}
