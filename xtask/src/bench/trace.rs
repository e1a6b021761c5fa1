//! The cost of a timeline and a profile: the same program with and without them, in turn.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Limit, Numbers, Report, numbers, value};
use crate::process::{self, Scratch, progress};
use crate::workspace::root;

const LIMIT: Duration = Duration::from_secs(120);
/// The numbers of runs with each setting. The best run counts.
const ROUNDS: usize = 5;
/// The largest ratio of the times with and without a timeline.
const OVERHEAD: f64 = 1.03;

pub fn measure(prefix: &Path) -> Result<Report, String> {
    let scratch = Scratch::new("bench")?;
    progress("measuring the cost of timelines");
    let program = scratch.path().join("trace");
    let mut compile = Command::new(prefix.join("bin/scythe"));
    compile.args(["-fsycl", "-std=c++17", "-O3"]).arg(root().join("benches/trace.cpp"));
    process::output(compile.arg("-o").arg(&program))?;
    let timeline = scratch.path().join("trace.json");
    let (mut without, mut with) = (Numbers::new(), Numbers::new());
    for round in 0..=ROUNDS {
        let mut off = Command::new(&program);
        let off = numbers(off.env("ONEAPI_DEVICE_SELECTOR", "native_cpu:*"), LIMIT)?;
        let mut on = Command::new(&program);
        on.env("ONEAPI_DEVICE_SELECTOR", "native_cpu:*").env("SCYTHE_TRACE", &timeline);
        let on = numbers(&mut on, LIMIT)?;
        // The first run compiles the kernels.
        if round > 0 {
            keep_best(&mut without, off);
            keep_best(&mut with, on);
        }
    }
    let mut report = Report::default();
    for (name, what) in [("memory", "stencil on USM"), ("buffers", "stencil on buffers")] {
        let (off, on) = (value(&without, name)?, value(&with, name)?);
        report.add(format!("{what}, without a timeline"), off * 1e3, " ms", Limit::None);
        report.add(format!("{what}, with a timeline"), on / off, "x", Limit::AtMost(OVERHEAD));
    }
    let (off, on) = (value(&without, "nothing")?, value(&with, "nothing")?);
    report.add("launch of an empty kernel, without", off * 1e9, " ns", Limit::None);
    report.add("launch of an empty kernel, with", on * 1e9, " ns", Limit::None);
    Ok(report)
}

fn keep_best(best: &mut Numbers, new: Numbers) {
    for (name, value) in new {
        let known = best.entry(name).or_insert(value);
        *known = known.min(value);
    }
}
