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

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::backend::Backend;
use crate::compat::positive;
use crate::cts::limits::Limits;
use crate::process;
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::{root, target};
use execute::Setting;
use outcome::Verdict::DoesNotApply;
use outcome::{Outcome, Results, Verdict};
use suite::Test;

pub const HELP: &str = "\
Usage: cargo xtask e2e --suite PATH [OPTION]...

  --suite PATH      the folder sycl/test-e2e of intel/llvm, or a part of it
  --backend NAME    cpu (default), opencl or cuda; may be repeated
  --filter TEXT     only tests whose path contains TEXT; may be repeated
  --sample N        of each folder, only the first tests until N of them apply
  --resume          leave out tests that have a result
  --failed          only tests that failed before
  --commit TEXT     the version of a suite that is not a checkout
  --limit SECONDS   elapsed time of a test (default 300)
  --memory MB       memory of a test (default 6000)
  --jobs N          tests at the same time (default 1)
  --prefix DIR      an installed tree of Scythe to use, instead of one that is built now. Apart
                    from a compiler, the machine then only needs LLVM's FileCheck, not and count
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
    jobs: usize,
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
            jobs: 1,
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
                "--jobs" => options.jobs = positive(word, value()?)?,
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
    let prefix = match &options.prefix {
        Some(prefix) => absolute(prefix)?,
        None => {
            setup::ensure(Purpose::Bench)?;
            stage::stage(Profile::Release)?
        }
    };
    execute::find_tools()?;
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
        let run = Run { options: &options, setting, folders: [&suite, &prefix], file: &file };
        results = run.all(&tests, results)?;
        results.save(&file)?;
        report::write(&docs)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A run of the tests on one backend.
struct Run<'a> {
    options: &'a Options,
    setting: Setting,
    /// Folders whose names the results do not contain.
    folders: [&'a Path; 2],
    /// The file with the results.
    file: &'a Path,
}

impl Run<'_> {
    /// Runs the wanted tests, several at the same time. Returns the results before with those of
    /// this run.
    fn all(&self, tests: &[Test], before: Results) -> Result<Results, String> {
        // A sample depends on the results of the folder's earlier tests.
        let is_sample = self.options.sample != usize::MAX;
        let groups: Vec<&[Test]> = match is_sample {
            true => tests.chunk_by(|a, b| a.folder() == b.folder()).collect(),
            false => tests.chunks(1).collect(),
        };
        let results = Mutex::new(before);
        let all = process::parallel_on(self.options.jobs, &groups, |group| {
            let mut applied = 0;
            for test in *group {
                if applied >= self.options.sample {
                    break;
                }
                let outcome = self.one(test, &results)?;
                applied += usize::from(outcome.is_some_and(|o| o.verdict != DoesNotApply));
            }
            Ok(())
        });
        all.into_iter().collect::<Result<(), String>>()?;
        Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs a test if it is wanted, and returns its result.
    fn one(&self, test: &Test, results: &Mutex<Results>) -> Result<Option<Outcome>, String> {
        let locked = || results.lock().unwrap_or_else(PoisonError::into_inner);
        let before = locked().tests.get(&test.name).cloned();
        if !self.options.wants(test, before.as_ref()) {
            return Ok(before);
        }
        let outcome = execute(&self.setting, test)?;
        let [suite, prefix] = self.folders;
        let outcome = outcome.without_folders(&[suite, &self.setting.work, prefix]);
        let (backend, verdict) = (self.setting.backend.name(), outcome.verdict.name());
        eprintln!("    {} [{backend}]: {verdict} {}", test.name, outcome.reason);
        let mut results = locked();
        results.tests.insert(test.name.clone(), outcome.clone());
        if outcome.verdict != DoesNotApply {
            results.save(self.file)?;
        }
        Ok(Some(outcome))
    }
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
        let options =
            parse("--suite a --filter USM/ --resume --limit 7 --sample 3 --jobs 4").unwrap();
        assert_eq!((options.sample, options.jobs), (3, 4));
        assert_eq!(options.limits.time, Duration::from_secs(7));
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
            ("--suite a --backend hip", "'hip'"),
            ("--suite a --sample 0", "'0'"),
            ("--suite a --fast", "'--fast'"),
        ] {
            assert!(parse(text).unwrap_err().contains(part), "{text}");
        }
        let error = suite::tests(Path::new("/nowhere")).unwrap_err();
        assert!(error.contains("/nowhere"), "{error}");
    }
}
