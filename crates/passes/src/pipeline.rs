//! Runs an ordered list of passes. After each pass it can verify, time and dump the module.
//!
//! This module writes no files. The time report is returned as a string, and dumps go to the
//! caller's sink.

use crate::{Error, Pass};
use scythe_llvm::Module;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Options for the work between passes. By default all of it is disabled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether to verify the module after every pass that changed it.
    pub verify: bool,
    /// Whether to measure the time of every pass.
    pub time: bool,
    /// The pass after which the IR goes to the sink. `all` stands for every pass.
    pub dump_after: Option<String>,
}

/// The IR after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// The position and the name of the pass: `04-linkage.ll`.
    pub file_name: String,
    pub ir: String,
}

/// Runs `passes` in order and stops at the first error. Returns the time report, which is empty
/// unless [`Options::time`] is set.
pub fn run(
    module: &Module<'_>,
    passes: &[&dyn Pass],
    options: &Options,
    sink: &mut dyn FnMut(Dump),
) -> Result<String, Error> {
    let mut times = Vec::new();
    for (index, pass) in passes.iter().enumerate() {
        let start = options.time.then(Instant::now);
        let changed = pass.run(module)?;
        times.extend(start.map(|s| (pass.name(), s.elapsed())));
        if options.verify && changed {
            module.verify().map_err(|source| Error::Verify { pass: pass.name(), source })?;
        }
        if options.dump_after.as_deref().is_some_and(|name| name == "all" || name == pass.name()) {
            sink(Dump {
                file_name: format!("{:02}-{}.ll", index + 1, pass.name()),
                ir: module.to_string(),
            });
        }
    }
    Ok(if options.time { report(&times) } else { String::new() })
}

/// Formats one line per pass, in the order of execution, and the total.
fn report(times: &[(&str, Duration)]) -> String {
    let total: Duration = times.iter().map(|(_, t)| *t).sum();
    let mut out = String::from("Scythe pass execution timing report\n   wall (s)      %  pass\n");
    for (name, time) in times.iter().copied().chain([("total", total)]) {
        let share =
            if total.is_zero() { 100.0 } else { 100.0 * time.as_secs_f64() / total.as_secs_f64() };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{:11.6} {share:6.1}  {name}", time.as_secs_f64());
    }
    out
}
