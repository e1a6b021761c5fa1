//! `cargo xtask bench`: measures ratios to other programs in the same run, and checks each limit.

mod against;
mod aspects;
mod collection;
mod compile;
mod cpu;
mod cuda;
mod graphs;
mod launch;
mod link;
mod matrix;
mod opencl;
mod peer;
mod rtc;
mod trace;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::process::{capture, shown};
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};

/// Measures the staged tree. The second argument names the benchmarks.
type Measure = fn(&Path, &[String]) -> Result<Report, String>;

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    if let [what, rest @ ..] = args
        && what == "cuda"
    {
        return cuda::package(rest);
    }
    if let [what, rest @ ..] = args
        && what == "collection"
    {
        return collection::run(rest);
    }
    let (args, other) = stage::take_installed(args, "--against")?;
    let (args, given) = stage::take_installed(&args, "--prefix")?;
    let (measure, names): (Measure, &[String]) = match args.as_slice() {
        [what] if what == "aspects" => (|prefix, _| aspects::measure(prefix), &[]),
        [what] if what == "compile" => (|prefix, _| compile::measure(prefix), &[]),
        [what] if what == "graphs" => (|prefix, _| graphs::measure(prefix), &[]),
        [what] if what == "link" => (|prefix, _| link::measure(prefix), &[]),
        [what] if what == "matrix" => (|prefix, _| matrix::measure(prefix), &[]),
        [what] if what == "opencl" => (|prefix, _| opencl::measure(prefix), &[]),
        [what] if what == "rtc" => (|prefix, _| rtc::measure(prefix), &[]),
        [what] if what == "trace" => (|prefix, _| trace::measure(prefix), &[]),
        [what] if what == "run" => (|prefix, _| launch::measure(prefix), &[]),
        [what, names @ ..] if what == "cpu" => (cpu::measure, names),
        [what, rest @ ..] if what == "peer" => {
            // Checked before Scythe is built, which takes long.
            peer::check(rest)?;
            (peer::measure, rest)
        }
        _ => {
            return Err(
                "'bench' needs one of 'aspects', 'collection', 'compile', 'cpu', 'cuda', 'graphs', \
                'link', 'matrix', 'opencl', 'peer', 'rtc', 'run' or 'trace'"
                    .to_owned(),
            );
        }
    };
    setup::ensure(Purpose::Bench)?;
    let prefix = stage::given_or_staged(given, Profile::Release)?;
    let report = match other {
        Some(other) => against::compare(measure, names, &other, &prefix)?,
        None => measure(&prefix, names)?,
    };
    report.print();
    Ok(if report.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The numbers that a program prints, by name.
type Numbers = BTreeMap<String, f64>;

/// Runs a program that prints `name value` lines.
fn numbers(command: &mut Command, limit: Duration) -> Result<Numbers, String> {
    let outcome = capture(command, limit)?;
    if !outcome.success() {
        return Err(format!("'{}' failed: {}", shown(command), outcome.describe()));
    }
    let pair = |line: &str| {
        let (name, number) = line.split_once(' ')?;
        Some((name.to_owned(), number.trim().parse().ok()?))
    };
    Ok(outcome.stdout.lines().filter_map(pair).collect())
}

fn value(numbers: &Numbers, name: &str) -> Result<f64, String> {
    numbers.get(name).copied().ok_or_else(|| format!("the benchmark did not print '{name}'"))
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
    /// The number is printed, but not checked.
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
