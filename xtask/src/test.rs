//! `cargo xtask test`: runs all checks in stages. A failed stage does not prevent the others from
//! running.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::process::{CACHE, Scratch, capture, progress};
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::root;
use crate::{cuda, e2e, fuzz, invariants, lint, opencl, unit};

/// The stages in the order of execution. Quick stages and those that fail most often come first.
const STAGES: [&str; 9] =
    ["fmt", "unit", "e2e", "accuracy", "invariants", "relocation", "lint", "fuzz", "valgrind"];
/// The stages that `--quick` skips.
const SLOW: [&str; 3] = ["lint", "fuzz", "valgrind"];

/// The result of a stage: a count of passed checks, or the failures.
struct Ended {
    stage: &'static str,
    result: Result<String, String>,
    seconds: f64,
}

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    if let [flag, backend, filters @ ..] = args
        && flag == "--backend"
    {
        return run_on(backend, filters);
    }
    let quick = args.iter().any(|a| a == "--quick");
    let named: Vec<&String> = args.iter().filter(|a| STAGES.contains(&a.as_str())).collect();
    let filters: Vec<String> = args
        .iter()
        .filter(|a| !STAGES.contains(&a.as_str()) && !a.starts_with("--"))
        .cloned()
        .collect();
    if let Some(unknown) = args.iter().find(|a| a.starts_with("--") && *a != "--quick") {
        return Err(format!("unknown argument '{unknown}' of 'test'"));
    }
    let wanted = |stage: &str| match (named.is_empty(), filters.is_empty()) {
        (true, true) => !(quick && SLOW.contains(&stage)),
        (true, false) => stage == "e2e",
        (false, _) => named.iter().any(|n| *n == stage),
    };
    setup::ensure(Purpose::Test)?;
    let prefix = stage::stage(Profile::Dev)?;
    let mut results = Vec::new();
    for stage in STAGES.into_iter().filter(|s| wanted(s)) {
        progress(&format!("stage {stage}"));
        let start = Instant::now();
        let result = match stage {
            "fmt" => lint::check_format().map(|()| "formats".to_owned()),
            "lint" => lint::clippy().map(|()| "lints".to_owned()),
            "unit" => unit::run(&prefix, &filters),
            "e2e" => {
                e2e::run(&prefix, &filters, &e2e::Backend::Cpu).and_then(|t| tallied(t, "programs"))
            }
            "accuracy" => accuracy(&prefix),
            "fuzz" => fuzz::check(&prefix),
            "invariants" => invariants::check(&prefix).map(|n| format!("{n} invariants")),
            "relocation" => invariants::relocation(Profile::Dev).map(|n| format!("{n} checks")),
            _ => e2e::valgrind(&prefix, &filters).and_then(|t| tallied(t, "programs")),
        };
        if let Err(message) = &result {
            eprintln!("{message}");
        }
        results.push(Ended { stage, result, seconds: start.elapsed().as_secs_f64() });
    }
    Ok(summary(&results))
}

/// Runs the end-to-end programs on one backend only.
fn run_on(backend: &str, filters: &[String]) -> Result<ExitCode, String> {
    if backend == "cuda" {
        return package_for_cuda(filters);
    }
    if backend != "opencl" {
        return Err(format!("unknown backend '{backend}'; expected opencl or cuda"));
    }
    setup::ensure(Purpose::Bench)?;
    let prefix = stage::stage(Profile::Dev)?;
    let start = Instant::now();
    let result = opencl::test(&prefix, filters);
    if let Err(message) = &result {
        eprintln!("{message}");
    }
    Ok(summary(&[Ended { stage: "opencl", result, seconds: start.elapsed().as_secs_f64() }]))
}

/// Bundles the end-to-end programs for a machine with an NVIDIA GPU.
fn package_for_cuda(args: &[String]) -> Result<ExitCode, String> {
    let (args, given) = stage::take_installed(args, "--prefix")?;
    let (folder, filters) = match args.as_slice() {
        [flag, folder, filters @ ..] if flag == "--package" => {
            (std::path::PathBuf::from(folder), filters)
        }
        _ => {
            return Err("'test --backend cuda' needs --package DIR, followed by parts of program \
            names"
                .to_owned());
        }
    };
    setup::ensure(Purpose::Bench)?;
    let prefix = stage::given_or_staged(given, Profile::Release)?;
    println!("{}", cuda::package_tests(&prefix, &folder, filters)?);
    Ok(ExitCode::SUCCESS)
}

fn tallied(tally: e2e::Tally, what: &str) -> Result<String, String> {
    if tally.failures.is_empty() {
        return Ok(format!("{} {what}", tally.passed));
    }
    let all = tally.passed + tally.failures.len();
    Err(format!("{} of {all} {what} failed:\n{}", tally.failures.len(), tally.failures.join("\n")))
}

/// Compares the maths functions with a library of arbitrary precision.
fn accuracy(prefix: &std::path::Path) -> Result<String, String> {
    let cache = Scratch::new("cache")?;
    let mut command = std::process::Command::new(root().join("tests/accuracy/run.sh"));
    let outcome = capture(
        command.arg(prefix).env(CACHE, cache.path().join("objects")),
        Duration::from_secs(600),
    )?;
    if outcome.success() { Ok("maths functions".to_owned()) } else { Err(outcome.describe()) }
}

/// Prints the closing lines: one per stage, then one for all.
fn summary(results: &[Ended]) -> ExitCode {
    println!();
    for r in results {
        match &r.result {
            Ok(what) => println!("{:11} ok      {what} ({:.0} s)", r.stage, r.seconds),
            Err(message) => {
                let first = message.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
                println!("{:11} FAILED  {first} ({:.0} s)", r.stage, r.seconds);
            }
        }
    }
    let failed = results.iter().filter(|r| r.result.is_err()).count();
    let seconds: f64 = results.iter().map(|r| r.seconds).sum();
    println!("test: {} stages passed, {failed} failed, in {seconds:.0} s", results.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
