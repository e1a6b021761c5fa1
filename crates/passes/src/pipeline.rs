//! The ordered list of passes, with a hook after each: verify, time, dump.
//!
//! Nothing is written here. The time report is a text, and dumps go to the caller's sink.

use crate::{Error, Pass};
use scythe_llvm::Module;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// What happens besides the passes. The default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Check the module after every pass.
    pub verify: bool,
    /// Measure every pass.
    pub time: bool,
    /// Hand the IR to the sink after this pass; `all` means after each.
    pub dump_after: Option<String>,
}

/// The IR after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// Tells order and pass: `04-linkage.ll`.
    pub file_name: String,
    pub ir: String,
}

/// Runs `passes` in order and stops at the first that fails. Gives the time report, which is empty
/// unless asked for.
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

/// One line per pass, in the order they ran, and the sum.
fn report(times: &[(&str, Duration)]) -> String {
    let total: Duration = times.iter().map(|(_, t)| *t).sum();
    let mut out = String::from("Scythe pass execution timing report\n   wall (s)      %  pass\n");
    for (name, time) in times.iter().copied().chain([("total", total)]) {
        let share =
            if total.is_zero() { 100.0 } else { 100.0 * time.as_secs_f64() / total.as_secs_f64() };
        // Writing to a string does not fail.
        let _ = writeln!(out, "{:11.6} {share:6.1}  {name}", time.as_secs_f64());
    }
    out
}
