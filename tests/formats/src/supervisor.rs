//! Starts workers, and keeps the inputs that end them.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::options::Options;
use crate::{limits, targets, worker};

/// The workers of one reader that may end early.
const MOST_RESTARTS: usize = 20;

/// What came of a reader.
#[derive(Default)]
struct Totals {
    executions: u64,
    outcomes: u64,
    regions: u64,
    bases: u64,
    findings: Vec<String>,
}

/// Fuzzes one reader or all. Returns whether there was no finding.
pub fn run(options: &Options) -> Result<bool, String> {
    let all = targets::all(options);
    if options.list {
        for target in &all {
            println!("{:16} {}", target.name, target.about);
        }
        return Ok(true);
    }
    let named = |name: &str| options.target.as_deref().is_none_or(|wanted| wanted == name);
    let chosen: Vec<_> = all.iter().filter(|target| named(target.name)).collect();
    if chosen.is_empty() {
        targets::find(options.target.as_deref().unwrap_or_default(), options)?;
    }
    let mut is_clean = true;
    println!("| reader | executions | outcomes | regions | inputs kept | findings |");
    println!("|---|---:|---:|---:|---:|---:|");
    for target in chosen {
        let folder = options.failures.join(target.name);
        let _ = std::fs::remove_dir_all(&folder);
        let totals = fuzz(target.name, options, &folder)?;
        let Totals { executions, outcomes, regions, bases, findings } = &totals;
        let count = findings.len();
        println!("| {} | {executions} | {outcomes} | {regions} | {bases} | {count} |", target.name);
        is_clean &= findings.is_empty();
        for finding in findings {
            eprintln!("{}: {finding}", target.name);
        }
        if findings.is_empty() {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
    Ok(is_clean)
}

fn fuzz(name: &str, options: &Options, folder: &Path) -> Result<Totals, String> {
    let mut totals = Totals::default();
    let start = Instant::now();
    for round in 0..=MOST_RESTARTS {
        let mut left = options.clone();
        left.target = Some(name.to_owned());
        left.seed = options.seed.wrapping_add(round as u64);
        left.time = options.time.map(|most| most.saturating_sub(start.elapsed()));
        left.executions = options.executions.map(|most| most.saturating_sub(totals.executions));
        let is_over = left.time == Some(Duration::ZERO) || left.executions == Some(0);
        if round > 0 && is_over {
            break;
        }
        let status = work(&left, folder, &mut totals)?;
        if status.code().is_some_and(|code| code == 0 || code == 1) {
            break;
        }
        // The worker ended in the middle of an input.
        let path = worker::store(folder, &worker::read_current(folder).unwrap_or_default());
        totals.findings.push(finding(&path, &ended(status), name));
    }
    Ok(totals)
}

/// Repeats one input. Returns whether there was no finding.
pub fn repeat(options: &Options) -> Result<bool, String> {
    let name = options.target.clone().unwrap_or_default();
    let target = targets::find(&name, options)?;
    let folder = options.failures.join(target.name);
    let mut totals = Totals::default();
    let status = work(options, &folder, &mut totals)?;
    for finding in &totals.findings {
        println!("{finding}");
    }
    if !status.success() && status.code() != Some(1) {
        println!("{}", ended(status));
    }
    if status.success() {
        println!("the reader answers the input within its limits");
    }
    Ok(status.success())
}

/// Runs a worker, and adds what it tells to `totals`.
fn work(options: &Options, folder: &Path, totals: &mut Totals) -> Result<ExitStatus, String> {
    let fail = |error: std::io::Error| format!("cannot run a worker: {error}");
    let mut command = Command::new(std::env::current_exe().map_err(fail)?);
    command.arg("--worker").arg("--failures").arg(&options.failures);
    command.args(["--seed", &options.seed.to_string()]);
    for (name, value) in [
        ("--target", options.target.clone()),
        ("--seconds", options.time.map(|time| time.as_secs().max(1).to_string())),
        ("--executions", options.executions.map(|count| count.to_string())),
        ("--tools", options.tools.as_ref().map(|path| path.display().to_string())),
        ("--input", options.input.as_ref().map(|path| path.display().to_string())),
    ] {
        if let Some(value) = value {
            command.args([name, &value]);
        }
    }
    // The counters are read in the process: no file of the profiler is needed.
    command.env("LLVM_PROFILE_FILE", "/dev/null");
    let log = folder.with_extension("log");
    std::fs::create_dir_all(folder).map_err(fail)?;
    command.stderr(std::fs::File::create(&log).map_err(fail)?);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(fail)?;
    let mut last = [0; 4];
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line = line.map_err(fail)?;
        if let Some(numbers) = line.strip_prefix("status ") {
            for (place, number) in last.iter_mut().zip(numbers.split(' ')) {
                *place = number.parse().unwrap_or(0);
            }
        } else if let Some((path, text)) =
            line.strip_prefix("finding ").and_then(|text| text.split_once(' '))
        {
            let name = options.target.as_deref().unwrap_or_default();
            totals.findings.push(finding(Path::new(path), text, name));
        }
    }
    let status = child.wait().map_err(fail)?;
    let [executions, outcomes, regions, bases] = last;
    totals.executions += executions;
    totals.outcomes = totals.outcomes.max(outcomes);
    totals.regions = totals.regions.max(regions);
    totals.bases = totals.bases.max(bases);
    let errors = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    if status.code() == Some(1) && totals.findings.is_empty() {
        return Err(errors);
    }
    Ok(status)
}

fn finding(path: &Path, text: &str, name: &str) -> String {
    let path = path.display();
    format!("{text}\n  to repeat: cargo xtask fuzz formats --target {name} --input {path}")
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(limits::MEMORY), _) => "exceeds the limit of memory".to_owned(),
        (Some(limits::TIME), _) => "exceeds the limit of time".to_owned(),
        (_, Some(signal)) => format!("ended by signal {signal}"),
        _ => format!("ended with {status}"),
    }
}
