//! `cargo xtask e2e`: runs DPC++'s end-to-end tests and writes `docs/results/dpcpp-e2e.md`.
//!
//! The suite is an unmodified copy of the folder `sycl/test-e2e` of intel/llvm, or a part of it.
//! Its tests contain their commands in `RUN:` lines for LLVM's test tool lit, which `directives`
//! reads, `substitute` expands and `execute` runs. The results are kept in
//! `docs/results/dpcpp-e2e`, one file for each backend: a run of some tests keeps the results of
//! the others.

mod conditions;
mod directives;
mod execute;
mod outcome;
mod removed;
mod report;
mod substitute;
mod suite;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::backend::Backend;
use crate::compat::positive;
use crate::cts::limits::Limits;
use crate::process;
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::{root, target};
use execute::Setting;
use outcome::{Outcome, Results, Verdict};
use suite::Test;

pub const HELP: &str = "\
Usage: cargo xtask e2e --suite PATH [OPTION]...

  --suite PATH      the folder sycl/test-e2e of intel/llvm, or a part of it
  --backend NAME    cpu (default) or opencl; may be repeated
  --filter TEXT     only tests whose path contains TEXT; may be repeated
  --sample N        of each folder, only the first tests until N of them apply
  --resume          leave out tests that have a result
  --failed          only tests that failed before
  --commit TEXT     the version of a suite that is not a checkout
  --limit SECONDS   elapsed time of a test (default 300)
  --memory MB       memory of a test (default 6000)
  --prefix DIR      an installed tree of Scythe to use, instead of one that is built now
";

#[derive(Debug)]
struct Options {
    suite: PathBuf,
    backends: Vec<Backend>,
    filters: Vec<String>,
    sample: usize,
    resume: bool,
    failed: bool,
    commit: Option<String>,
    limits: Limits,
    prefix: Option<PathBuf>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options {
            suite: PathBuf::new(),
            backends: Vec::new(),
            filters: Vec::new(),
            sample: usize::MAX,
            resume: false,
            failed: false,
            commit: None,
            limits: Limits { time: Duration::from_secs(300), memory: 6000 << 20 },
            prefix: None,
        };
        let mut words = args.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| format!("'{word}' needs a value\n\n{HELP}"));
            match word {
                "--suite" => options.suite = PathBuf::from(value()?),
                "--backend" => options.backends.push(Backend::parse(value()?)?),
                "--filter" => options.filters.push(value()?.to_owned()),
                "--sample" => options.sample = positive(word, value()?)?,
                "--resume" => options.resume = true,
                "--failed" => options.failed = true,
                "--commit" => options.commit = Some(value()?.to_owned()),
                "--limit" => {
                    options.limits.time = Duration::from_secs(positive(word, value()?)? as u64);
                }
                "--memory" => options.limits.memory = (positive(word, value()?)? as u64) << 20,
                "--prefix" => options.prefix = Some(PathBuf::from(value()?)),
                _ => return Err(format!("unknown argument '{word}' of 'e2e'\n\n{HELP}")),
            }
        }
        if options.suite.as_os_str().is_empty() {
            return Err(format!("--suite is missing\n\n{HELP}"));
        }
        if options.backends.is_empty() {
            options.backends.push(Backend::Cpu);
        }
        Ok(options)
    }

    /// Returns whether a test is to run, by its name and its result.
    fn wants(&self, test: &Test, before: Option<&Outcome>) -> bool {
        let named = self.filters.is_empty() || self.filters.iter().any(|f| test.name.contains(f));
        let again = !self.failed || before.is_some_and(|b| b.verdict == Verdict::Failed);
        named && again && !(self.resume && before.is_some())
    }
}

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(args)?;
    let absolute =
        |path: &Path| std::path::absolute(path).map_err(|e| format!("{}: {e}", path.display()));
    let suite = absolute(&options.suite)?;
    let tests = suite::tests(&suite)?;
    setup::ensure(Purpose::Bench)?;
    let prefix = match &options.prefix {
        Some(prefix) => absolute(prefix)?,
        None => stage::stage(Profile::Release)?,
    };
    let commit = options.commit.clone().unwrap_or_else(|| commit(&suite));
    let docs = root().join("docs");
    for backend in &options.backends {
        let variables = backend.driver()?;
        let setting = Setting {
            features: suite::features(&prefix, *backend, &variables)?,
            prefix: prefix.clone(),
            work: target().join("dpcpp-e2e").join(backend.name()),
            backend: *backend,
            variables,
            limits: options.limits,
        };
        let file = report::file(&docs, *backend);
        let mut results = Results::load(&file)?;
        results.commit.clone_from(&commit);
        let mut sampled: BTreeMap<&str, usize> = BTreeMap::new();
        for test in &tests {
            let before = results.tests.get(&test.name);
            let number = sampled.entry(test.folder()).or_default();
            if *number >= options.sample {
                continue;
            }
            let outcome = match options.wants(test, before) {
                true => {
                    let outcome = execute(&setting, test)?;
                    let outcome = outcome.without_folders(&[&suite, &setting.work, &prefix]);
                    let verdict = outcome.verdict.name();
                    eprintln!(
                        "    {} [{}]: {verdict} {}",
                        test.name,
                        backend.name(),
                        outcome.reason
                    );
                    results.tests.insert(test.name.clone(), outcome.clone());
                    if outcome.verdict != Verdict::DoesNotApply {
                        results.save(&file)?;
                    }
                    Some(outcome)
                }
                false => before.cloned(),
            };
            *number += usize::from(outcome.is_some_and(|o| o.verdict != Verdict::DoesNotApply));
        }
        results.save(&file)?;
        report::write(&docs)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn execute(setting: &Setting, test: &Test) -> Result<Outcome, String> {
    match test.does_not_apply(&setting.features) {
        Ok(Some(outcome)) => Ok(outcome),
        Ok(None) => setting.execute(test),
        Err(reason) => Ok(Outcome::failed(reason)),
    }
}

/// Returns the first 12 digits of the checkout's commit.
fn commit(suite: &Path) -> String {
    let mut git = Command::new("git");
    git.arg("-C").arg(suite).args(["rev-parse", "--short=12", "HEAD"]);
    process::output(&mut git).map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, String> {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_select_tests() {
        let options = parse("--suite a --filter USM/ --resume --limit 7 --sample 3").unwrap();
        assert_eq!((options.sample, options.limits.time), (3, Duration::from_secs(7)));
        assert_eq!(options.backends, [Backend::Cpu]);
        let directives = directives::Directives::parse("// RUN: true\n");
        let test = Test::of(Path::new("USM/a.cpp"), directives);
        assert!(options.wants(&test, None));
        assert!(!options.wants(&test, Some(&Outcome::passed())));
        let failed = parse("--suite a --failed").unwrap();
        assert!(failed.wants(&test, Some(&Outcome::failed("x"))));
        assert!(!failed.wants(&test, None) && !failed.wants(&test, Some(&Outcome::passed())));
        assert!(!parse("--suite a --filter Basic").unwrap().wants(&test, None));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "--suite is missing"),
            ("--suite", "needs a value"),
            ("--suite a --backend cuda", "'cuda'"),
            ("--suite a --sample 0", "'0'"),
            ("--suite a --fast", "'--fast'"),
        ] {
            assert!(parse(text).unwrap_err().contains(part), "{text}");
        }
        let error = suite::tests(Path::new("/nowhere")).unwrap_err();
        assert!(error.contains("/nowhere"), "{error}");
    }
}
