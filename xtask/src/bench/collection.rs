//! `bench collection`: compares the SYCL programs of HeCBench with the same programs in OpenMP on
//! the CPU, or in CUDA on an NVIDIA GPU.
//!
//! All versions are built with their own Makefiles, and both versions of a program run one right
//! after the other. The outputs of all runs are kept, and the report follows from them alone.

mod cpu;
mod gpu;
mod record;
mod report;
mod sources;
mod suite;
mod times;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::compat::{self, Device, build, outcome::Outcome};
use crate::process::progress;
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::{root, target};
use record::Records;
use report::Kind;
use suite::Pair;

const HELP: &str = "\
Usage: cargo xtask bench collection --suite PATH [OPTION]...
       cargo xtask bench collection --results PATH

  --suite PATH      a checkout of HeCBench
  --package DIR     bundle the pairs for an NVIDIA GPU; DIR/run.sh runs them there
  --results PATH    report the results of run.sh: a file, or a folder of files
  --program NAME    only this pair; may be repeated
  --resume          keep the programs that are built, and the runs so far
  --rounds N        runs of each version on the CPU, of which the best counts. Default: 3
  --limit SECONDS   the processor time of a run on the CPU. Default: 20
  --prefix DIR      an installed tree of Scythe to use, instead of one that is built now
";

struct Options {
    suite: Option<PathBuf>,
    package: Option<PathBuf>,
    results: Option<PathBuf>,
    programs: Vec<String>,
    resume: bool,
    rounds: usize,
    limit: usize,
    prefix: Option<PathBuf>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options {
            suite: None,
            package: None,
            results: None,
            programs: Vec::new(),
            resume: false,
            rounds: 3,
            limit: 20,
            prefix: None,
        };
        let mut words = args.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| format!("'{word}' needs a value\n\n{HELP}"));
            match word {
                "--suite" => options.suite = Some(PathBuf::from(value()?)),
                "--package" => options.package = Some(PathBuf::from(value()?)),
                "--results" => options.results = Some(PathBuf::from(value()?)),
                "--program" => options.programs.push(value()?.to_owned()),
                "--resume" => options.resume = true,
                "--rounds" => options.rounds = compat::positive(word, value()?)?,
                "--limit" => options.limit = compat::positive(word, value()?)?,
                "--prefix" => options.prefix = Some(PathBuf::from(value()?)),
                _ => {
                    return Err(format!(
                        "unknown argument '{word}' of 'bench collection'\n\n{HELP}"
                    ));
                }
            }
        }
        match (&options.suite, &options.results, &options.package) {
            (None, None, _) => Err(format!("--suite is missing\n\n{HELP}")),
            (Some(_), Some(_), _) | (_, Some(_), Some(_)) => {
                Err(format!("--results cannot be combined with --suite or --package\n\n{HELP}"))
            }
            _ => Ok(options),
        }
    }
}

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(args)?;
    if let Some(results) = &options.results {
        return finish(Kind::Gpu, &record::read(results)?);
    }
    let suite = options.suite.as_deref().unwrap_or(Path::new(""));
    let all = compat::programs(suite)?;
    compat::chosen(&all, &options.programs)?;
    setup::ensure(Purpose::Bench)?;
    let prefix = match &options.prefix {
        Some(prefix) => {
            std::path::absolute(prefix).map_err(|e| format!("{}: {e}", prefix.display()))?
        }
        None => stage::stage(Profile::Release)?,
    };
    let (device, list) = match options.package {
        Some(_) => (Device::Sm90, "gpu.txt"),
        None => (Device::Cpu, "cpu.txt"),
    };
    let pairs = suite::pairs(list, &options.programs)?;
    let folder = target().join("collection");
    let tree = compat::tree(suite, &folder, device, &prefix)?;
    let due =
        |pair: &&Pair| !options.resume || !Outcome::load(&folder, &pair.name).is_built_for(device);
    let due: Vec<String> = pairs.iter().filter(due).map(|pair| pair.name.clone()).collect();
    progress(&format!("building {} SYCL programs", due.len()));
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
    build::all(&tree, suite, &due, jobs, |name, built| {
        let mut outcome = Outcome::load(&folder, name);
        outcome.set_built(device, built);
        outcome.save(&folder, name)
    })?;
    if let Some(package) = &options.package {
        let package =
            std::path::absolute(package).map_err(|e| format!("{}: {e}", package.display()))?;
        let (count, left_out) = gpu::fill(suite, &prefix, &tree, &pairs, &package)?;
        left_out.iter().for_each(|line| eprintln!("    left out {line}"));
        println!("{count} pairs in {}", package.display());
        return Ok(ExitCode::SUCCESS);
    }
    let results = folder.join("cpu.txt");
    let runs = cpu::Runs {
        suite,
        folder: &folder,
        tree: &tree,
        results: &results,
        resume: options.resume,
        rounds: options.rounds,
        limit: options.limit,
    };
    runs.all(&pairs)?;
    let mut records = record::read(&results)?;
    // Results from before a change of the list are no part of the report.
    let listed = suite::pairs(list, &[])?;
    records.programs.retain(|name, _| listed.iter().chain(&pairs).any(|pair| pair.name == *name));
    finish(Kind::Cpu, &records)
}

/// Writes the report of the results, and checks the limits.
fn finish(kind: Kind, records: &Records) -> Result<ExitCode, String> {
    let reasons = root().join("docs").join(kind.reasons());
    let reasons = std::fs::read_to_string(&reasons)
        .map_err(|e| format!("cannot read {}: {e}", reasons.display()))?;
    let report = report::Report::new(kind, records, &reasons);
    let file = root().join("docs/results").join(kind.file());
    std::fs::write(&file, report.text())
        .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    println!("{}\n{}", report.summary(), file.display());
    Ok(if report.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
