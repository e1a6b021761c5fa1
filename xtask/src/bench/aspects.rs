//! The cost of the aspects analysis: the pass alone on generated modules, and its share of a device
//! pass.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Limit, Report};
use crate::process::{self, Scratch, capture, progress};
use crate::workspace::root;

const SHAPES: [&str; 3] = ["chain", "fan", "cycles"];
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const LIMIT: Duration = Duration::from_secs(600);
/// The number of runs, of which the best counts.
const ROUNDS: usize = 3;

pub fn measure(prefix: &Path) -> Result<Report, String> {
    let mut report = Report::default();
    for shape in SHAPES {
        linear(shape, &mut report)?;
    }
    let scratch = Scratch::new("bench")?;
    // Device code cannot be recursive, so the front end sees no cycles.
    for (shape, count) in [("chain", 1_000), ("fan", 1_000), ("chain", 10_000), ("fan", 10_000)] {
        share(prefix, scratch.path(), shape, count, &mut report)?;
    }
    Ok(report)
}

/// Checks that the time per function does not grow with the number of functions.
fn linear(shape: &str, report: &mut Report) -> Result<(), String> {
    let mut times = Vec::new();
    for size in SIZES {
        progress(&format!("propagating aspects through a {shape} of {size} functions"));
        let mut command = Command::new("cargo");
        command.args([
            "run",
            "--quiet",
            "--release",
            "-p",
            "scythe-passes",
            "--example",
            "aspects_speed",
            "--",
            shape,
        ]);
        command.arg(size.to_string()).current_dir(root());
        let text = process::output(&mut command)?;
        let time: f64 = text
            .trim()
            .parse()
            .map_err(|_| format!("aspects_speed printed '{text}', expected a number"))?;
        report.add(format!("{shape} of {size} functions"), time, " ns/function", Limit::None);
        times.push(time);
    }
    let growth = times[times.len() - 1] / times[0];
    report.add(format!("{shape}: largest against smallest"), growth, "x", Limit::AtMost(1.3));
    Ok(())
}

/// Measures the share of the pass in the device pass of the same functions, with `--time-passes`.
fn share(
    prefix: &Path,
    folder: &Path,
    shape: &str,
    count: usize,
    report: &mut Report,
) -> Result<(), String> {
    progress(&format!("compiling a {shape} of {count} functions"));
    let source = folder.join("generated.cpp");
    std::fs::write(&source, program(shape, count))
        .map_err(|e| format!("cannot write generated.cpp: {e}"))?;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut command = Command::new(prefix.join("bin/scythe"));
        command.args([
            "-fsycl",
            "-fsycl-device-only",
            "-O2",
            "--time-passes",
            "-o",
            "generated.bc",
        ]);
        command.arg(&source).current_dir(folder);
        let outcome = capture(&mut command, LIMIT)?;
        if !outcome.success() {
            return Err(format!("'{}' failed: {}", process::shown(&command), outcome.describe()));
        }
        let spent =
            outcome.stderr.lines().find(|line| line.ends_with(" aspects")).and_then(|line| {
                let seconds = line.split_whitespace().next()?;
                seconds.parse::<f64>().ok()
            });
        let spent = spent.ok_or_else(|| format!("no time of the pass in '{}'", outcome.stderr))?;
        best = best.min(spent / outcome.elapsed.as_secs_f64());
    }
    report.add(
        format!("{shape} of {count}: share of the device pass"),
        best * 100.0,
        "%",
        Limit::AtMost(5.0),
    );
    Ok(())
}

/// Returns a program with one kernel and `count` functions with a little arithmetic. The last ones
/// use `double`.
fn program(shape: &str, count: usize) -> String {
    let mut text = String::from("#include <sycl/sycl.hpp>\n");
    for function in (0..count).rev() {
        let calls = match (shape, function + 1 < count) {
            ("chain", true) => format!("f{}(p);", function + 1),
            _ => "p[0] = p[1] * 4.0;".to_owned(),
        };
        let _ = writeln!(
            text,
            "__attribute__((noinline)) void f{function}(float *p) {{\n  float x = p[0];\n  \
             for (int i = 0; i < 8; ++i)\n    x = x * 1.5f + p[i];\n  p[2] = x;\n  {calls}\n}}"
        );
    }
    text += "void submit(sycl::queue &q, float *p) {\n  q.single_task<class generated>([=] {\n";
    for function in 0..(if shape == "fan" { count } else { 1 }) {
        let _ = writeln!(text, "    f{function}(p);");
    }
    text + "  });\n}\n"
}
