//! The report of a comparison: a function of the records and the reasons alone.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::record::{Record, Records, Run, TIMED_OUT, Version};
use super::times::{self, Times};
use crate::compat::build::{judge, last_error};
use crate::compat::outcome::Verdict;

/// A ratio below this needs a reason on GPUs.
const FLOOR: f64 = 0.9;
/// The least processor time that replaces a printed time.
const LEAST_PROCESSOR: f64 = 0.4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Cpu,
    Gpu,
}

impl Kind {
    pub fn file(self) -> &'static str {
        match self {
            Kind::Cpu => "collection-cpu.md",
            Kind::Gpu => "collection-h200.md",
        }
    }

    /// Returns the file with the reasons for programs that are slower than the other version.
    pub fn reasons(self) -> &'static str {
        match self {
            Kind::Cpu => "collection-cpu-reasons.txt",
            Kind::Gpu => "collection-reasons.txt",
        }
    }

    fn other(self) -> &'static str {
        match self {
            Kind::Cpu => "OpenMP",
            Kind::Gpu => "CUDA",
        }
    }

    /// Returns the least geometric mean.
    fn limit(self) -> f64 {
        match self {
            Kind::Cpu => 1.2,
            Kind::Gpu => 1.0,
        }
    }

    fn introduction(self) -> &'static str {
        match self {
            Kind::Cpu => {
                "# HeCBench on one core of a CPU: SYCL against OpenMP

This page compares the SYCL programs of [HeCBench](https://github.com/zjin-lcf/HeCBench), built by
Scythe with their own Makefiles (`GPU=no`), with the OpenMP versions of the same programs, built by
`g++ -O3 -march=native -fopenmp` without offloading. Both versions of a program run one right after
the other, with the same arguments, with one thread, and on the same core. Their clocks return the
processor time of the process. Some arguments are smaller than the Makefile's
(`benches/collection/cpu.txt`). `cargo xtask bench collection --suite PATH` writes this page."
            }
            Kind::Gpu => {
                "# HeCBench on an NVIDIA H200: SYCL against CUDA

This page compares the SYCL programs of [HeCBench](https://github.com/zjin-lcf/HeCBench), built by
Scythe with their own Makefiles for `sm_90`, with the CUDA versions of the same programs, built by
nvcc with their own Makefiles (`ARCH=sm_90`). Both versions of a program run one right after the
other, with the same arguments. `cargo xtask bench collection --suite PATH --package DIR` bundles
the programs, `DIR/run.sh` runs them, and `cargo xtask bench collection --results PATH` writes this
page."
            }
        }
    }
}

const METHOD: &str = "
The times are the programs' own: all times with a unit that both versions print on a line with the
same text, or those of lines about kernels, if there are any. The best of all runs counts for each
line. The ratio is the geometric mean over the lines; above 1, Scythe is faster. The table shows the
sums of these times. A program that finds wrong results or fails, in either version, is not
measured. *checked* programs compare their results with a reference and found them right.";

/// The measurement of a program.
#[derive(Debug, PartialEq)]
struct Row {
    name: String,
    /// In seconds, the sums of the shared times.
    other: f64,
    ours: f64,
    ratio: f64,
    /// The number of shared times, or `None` for processor times.
    lines: Option<usize>,
    checked: bool,
}

#[derive(Debug)]
pub struct Report {
    kind: Kind,
    machine: Vec<String>,
    rows: Vec<Row>,
    /// Programs without a measurement, with the reason.
    others: Vec<(String, String)>,
    reasons: BTreeMap<String, String>,
}

impl Report {
    pub fn new(kind: Kind, records: &Records, reasons: &str) -> Report {
        let (mut rows, mut others) = (Vec::new(), Vec::new());
        for (name, record) in &records.programs {
            match measure(kind, name, record) {
                Ok(row) => rows.push(row),
                Err(why) => others.push((name.clone(), why)),
            }
        }
        let reason = |line: &str| {
            let (name, text) = line.split_once('|')?;
            Some((name.trim().to_owned(), text.trim().to_owned()))
        };
        let lines = reasons.lines().filter(|line| !line.starts_with('#'));
        let reasons = lines.filter_map(reason).collect();
        Report { kind, machine: records.machine.clone(), rows, others, reasons }
    }

    fn mean(&self) -> f64 {
        mean(self.rows.iter().map(|row| row.ratio))
    }

    fn below(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.ratio < FLOOR)
    }

    /// Returns whether all limits hold.
    pub fn holds(&self) -> bool {
        let explained = |row: &Row| self.reasons.contains_key(&row.name);
        let floor = self.kind == Kind::Cpu || self.below().all(explained);
        floor && self.mean() >= self.kind.limit()
    }

    pub fn summary(&self) -> String {
        let (mean, limit, below) = (self.mean(), self.kind.limit(), self.below().count());
        let unexplained = self.below().filter(|row| !self.reasons.contains_key(&row.name)).count();
        let rule = match self.kind {
            Kind::Cpu => String::new(),
            Kind::Gpu => format!(", {unexplained} of them without a reason (limit: 0)"),
        };
        format!(
            "{} pairs measured, {} not measured; geometric mean {mean:.3} (limit: at least \
             {limit}); {below} pairs below {FLOOR}{rule}",
            self.rows.len(),
            self.others.len(),
        )
    }

    pub fn text(&self) -> String {
        let mut text = format!("{}\n{METHOD}\n", self.kind.introduction());
        if !self.machine.is_empty() {
            text += "\n```\n";
            self.machine.iter().for_each(|line| text += &format!("{line}\n"));
            text += "```\n";
        }
        let other = self.kind.other();
        let _ = write!(
            text,
            "\n| | |\n|---|--:|\n| pairs measured | {} |\n| geometric mean | {:.3} (limit: {}) |\n\
             | median | {:.3} |\n| pairs below {FLOOR} | {} |\n| pairs not measured | {} |\n",
            self.rows.len(),
            self.mean(),
            self.kind.limit(),
            median(self.rows.iter().map(|row| row.ratio)),
            self.below().count(),
            self.others.len()
        );
        let _ = write!(text, "\n## Below {FLOOR}\n\n| program | ratio | reason |\n|---|--:|---|\n");
        let mut below: Vec<&Row> = self.below().collect();
        below.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        for row in below {
            let reason = self.reasons.get(&row.name).map_or("", String::as_str);
            let _ = writeln!(text, "| {} | {:.3} | {reason} |", row.name, row.ratio);
        }
        let _ = write!(
            text,
            "\n## Pairs\n\n| program | {other} | Scythe | ratio | times | |\n\
             |---|--:|--:|--:|---|---|\n"
        );
        for row in &self.rows {
            let lines = match row.lines {
                Some(1) => "1 line".to_owned(),
                Some(lines) => format!("{lines} lines"),
                None => "processor".to_owned(),
            };
            let checked = if row.checked { "checked" } else { "" };
            let (a, b) = (duration(row.other), duration(row.ours));
            let _ = writeln!(
                text,
                "| {} | {a} | {b} | {:.3} | {lines} | {checked} |",
                row.name, row.ratio
            );
        }
        text += "\n## Not measured\n\n| program | reason |\n|---|---|\n";
        for (name, why) in &self.others {
            let _ = writeln!(text, "| {name} | {} |", why.replace('|', "\\|"));
        }
        text
    }
}

fn measure(kind: Kind, name: &str, record: &Record) -> Result<Row, String> {
    if let Some((status, log)) = &record.build
        && *status != 0
    {
        let line = log.lines().next().unwrap_or("no output").trim();
        return Err(format!("the {} version does not build: `{line}`", kind.other()));
    }
    let names = [(Version::Other, kind.other()), (Version::Sycl, "SYCL")];
    let mut wrong: Vec<(&str, String)> = Vec::new();
    for (version, title) in names {
        let reason = counted(record.of(version)).find_map(failure);
        wrong.extend(reason.map(|why| (title, why)));
    }
    match wrong.as_slice() {
        [] => {}
        [(title, why)] => return Err(format!("the {title} version {why}")),
        [(_, why), ..] => {
            return Err(format!("both versions fail: {} version {why}", kind.other()));
        }
    }
    let [others, ours]: [Vec<&Run>; 2] =
        Version::ALL.map(|version| counted(record.of(version)).collect());
    let count = others.len().min(ours.len());
    if count == 0 {
        return Err("it has not run".to_owned());
    }
    let best = |runs: &[&Run]| {
        let mut best: Times = times::times(&runs[0].output);
        runs[1..].iter().for_each(|run| times::best(&mut best, &times::times(&run.output)));
        best
    };
    let checked = ours.iter().all(|run| judge(&run.output).0 == Verdict::Passed);
    let pairs = times::shared(&best(&others[..count]), &best(&ours[..count]));
    if !pairs.is_empty() {
        return Ok(Row {
            name: name.to_owned(),
            other: pairs.iter().map(|(_, other, _)| other.value).sum(),
            ours: pairs.iter().map(|(.., ours)| ours.value).sum(),
            ratio: mean(pairs.iter().map(|(_, other, ours)| other.value / ours.value)),
            lines: Some(pairs.len()),
            checked,
        });
    }
    let least = |runs: &[&Run]| {
        let known = runs.iter().filter_map(|run| run.processor);
        known.min_by(f64::total_cmp).filter(|seconds| *seconds >= LEAST_PROCESSOR)
    };
    match (least(&others[..count]), least(&ours[..count])) {
        (Some(other), Some(ours)) => Ok(Row {
            name: name.to_owned(),
            other,
            ours,
            ratio: other / ours,
            lines: None,
            checked,
        }),
        _ => Err("it prints no time that both versions share and its digits resolve".to_owned()),
    }
}

/// Returns the runs that count: without those that exceeded their time, if another one did not. The
/// time of a run also depends on other programs.
fn counted(runs: &[Run]) -> impl Iterator<Item = &Run> {
    let ended = runs.iter().any(|run| run.status != TIMED_OUT);
    runs.iter().filter(move |run| !ended || run.status != TIMED_OUT)
}

/// Returns how a run failed.
fn failure(run: &Run) -> Option<String> {
    let short = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().map(without_folder).collect();
        words.join(" ").chars().take(120).collect::<String>().replace('`', "'")
    };
    match (run.status, judge(&run.output)) {
        (TIMED_OUT, _) => Some("exceeds the time of a run".to_owned()),
        (0, (Verdict::Failed, line)) => Some(format!("finds wrong results: `{}`", short(line))),
        (0, _) => None,
        (status, _) => {
            let line = short(last_error(&run.output));
            Some(format!("ends with status {status}: `{line}`"))
        }
    }
}

/// Returns the name of a file whose path would tell folders of the machine.
fn without_folder(word: &str) -> &str {
    match word.strip_prefix('/') {
        Some(path) => path.rsplit('/').next().unwrap_or(path),
        None => word,
    }
}

/// Returns the geometric mean, which is 1 for no values.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    if count == 0 { 1.0 } else { (sum / f64::from(count)).exp() }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 1.0,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.3} µs", s * 1e6),
    }
}

#[cfg(test)]
mod tests;
