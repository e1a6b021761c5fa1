//! `cargo xtask bench`: ratios against peers, measured in the same run, and whether each limit
//! holds.

mod aspects;
mod compile;
mod cpu;
mod cuda;
mod launch;
mod link;
mod opencl;
mod peer;

use std::path::Path;
use std::process::ExitCode;

use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};

/// Takes the staged tree and the names of what to measure.
type Measure = fn(&Path, &[String]) -> Result<Report, String>;

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    if let [what, rest @ ..] = args
        && what == "cuda"
    {
        return cuda::package(rest);
    }
    let (measure, names): (Measure, &[String]) = match args {
        [what] if what == "aspects" => (|prefix, _| aspects::measure(prefix), &[]),
        [what] if what == "compile" => (|prefix, _| compile::measure(prefix), &[]),
        [what] if what == "link" => (|prefix, _| link::measure(prefix), &[]),
        [what] if what == "opencl" => (|prefix, _| opencl::measure(prefix), &[]),
        [what] if what == "run" => (|prefix, _| launch::measure(prefix), &[]),
        [what, names @ ..] if what == "cpu" => (cpu::measure, names),
        [what, rest @ ..] if what == "peer" => {
            // Before Scythe is built, which takes long.
            peer::check(rest)?;
            (peer::measure, rest)
        }
        _ => {
            return Err(
                "'bench' needs one of 'aspects', 'compile', 'cpu', 'cuda', 'link', 'opencl', \
                'peer' or 'run'"
                    .to_owned(),
            );
        }
    };
    setup::ensure(Purpose::Bench)?;
    let prefix = stage::stage(Profile::Release)?;
    let report = measure(&prefix, names)?;
    report.print();
    Ok(if report.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One number with its limit.
struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    limit: Limit,
}

#[derive(Clone, Copy)]
enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// Shown, not judged.
    None,
}

#[derive(Default)]
pub struct Report(Vec<Row>);

impl Report {
    fn add(&mut self, what: impl Into<String>, value: f64, unit: &'static str, limit: Limit) {
        self.0.push(Row { what: what.into(), value, unit, limit });
    }

    fn holds(&self) -> bool {
        self.0.iter().all(Row::holds)
    }

    fn print(&self) {
        for row in &self.0 {
            let limit = match row.limit {
                Limit::AtMost(l) => format!("at most {l}{}", row.unit),
                Limit::AtLeast(l) => format!("at least {l}{}", row.unit),
                Limit::None => String::new(),
            };
            let verdict = match row.limit {
                Limit::None => "",
                _ if row.holds() => "holds",
                _ => "DOES NOT HOLD",
            };
            let value = if row.unit == " lines" {
                format!("{}", row.value)
            } else {
                format!("{:.3}", row.value)
            };
            println!(
                "{:58} {:>12} {:22} {verdict}",
                row.what,
                format!("{value}{}", row.unit),
                limit
            );
        }
    }
}

impl Row {
    fn holds(&self) -> bool {
        match self.limit {
            Limit::AtMost(l) => self.value <= l,
            Limit::AtLeast(l) => self.value >= l,
            Limit::None => true,
        }
    }
}
