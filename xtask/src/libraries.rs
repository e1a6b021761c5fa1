//! `cargo xtask libraries`: builds a SYCL library with its own CMake files, runs its tests, and
//! writes `docs/libraries.md`.
//!
//! The library is an unmodified checkout. `recipe` describes for each library how to configure it
//! and which of its tests are tests of SYCL. Each test is built separately, so a test that does not
//! compile only affects itself. The results are kept in `docs/results/libraries`, one file for each
//! library and backend, and the page consists of them: a run of one library keeps the results of
//! the others.

mod ctest;
mod outcome;
mod recipe;
mod report;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::backend::Backend;
use crate::compat::positive;
use crate::process::{self, CACHE, capture, progress};
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::{root, target};
use outcome::{Outcome, Results, Verdict};
use recipe::{Launch, Recipe, Test};

pub const HELP: &str = "\
Usage: cargo xtask libraries NAME --source PATH [OPTION]...

  NAME                 celerity, onedpl, kokkos, onemath or llama
  --source PATH        a checkout of the library, with its submodules
  --backend NAME       cpu (default), opencl or cuda; may be repeated
  --test NAME          only this test; may be repeated
  --configure OPTION   one more option for CMake; may be repeated
  --resume             leave out tests that have a result
  --build DIR          the folder of the build (default: below the target folder)
  --limit SECONDS      elapsed time of a build, and again of a run (default 1800)
  --jobs N             compilers at the same time (default: processors)
  --prefix DIR         an installed tree of Scythe to use, instead of one that is built now
";

#[derive(Debug)]
struct Options {
    recipe: &'static Recipe,
    source: PathBuf,
    backends: Vec<Backend>,
    tests: Vec<String>,
    configure: Vec<String>,
    resume: bool,
    build: Option<PathBuf>,
    limit: Duration,
    jobs: usize,
    prefix: Option<PathBuf>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut words = args.iter().map(String::as_str);
        let name = words.next().ok_or_else(|| format!("a library is missing\n\n{HELP}"))?;
        let recipe = recipe::find(name)?;
        let mut options = Options {
            recipe,
            source: PathBuf::new(),
            backends: Vec::new(),
            tests: Vec::new(),
            configure: Vec::new(),
            resume: false,
            build: None,
            limit: Duration::from_secs(1800),
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            prefix: None,
        };
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| format!("'{word}' needs a value\n\n{HELP}"));
            match word {
                "--source" => options.source = PathBuf::from(value()?),
                "--backend" => options.backends.push(Backend::parse(value()?)?),
                "--test" => options.tests.push(value()?.to_owned()),
                "--configure" => options.configure.push(value()?.to_owned()),
                "--build" => options.build = Some(PathBuf::from(value()?)),
                "--resume" => options.resume = true,
                "--limit" => {
                    options.limit = Duration::from_secs(positive(word, value()?)? as u64);
                }
                "--jobs" => options.jobs = positive(word, value()?)?,
                "--prefix" => options.prefix = Some(PathBuf::from(value()?)),
                _ => return Err(format!("unknown argument '{word}' of 'libraries'\n\n{HELP}")),
            }
        }
        if options.source.as_os_str().is_empty() {
            return Err(format!("--source is missing\n\n{HELP}"));
        }
        if options.backends.is_empty() {
            options.backends.push(Backend::Cpu);
        }
        Ok(options)
    }
}

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(args)?;
    let recipe = options.recipe;
    let absolute =
        |path: &Path| std::path::absolute(path).map_err(|e| format!("{}: {e}", path.display()));
    let source = absolute(&options.source)?;
    setup::ensure(Purpose::Bench)?;
    setup::ensure_packages(recipe.packages)?;
    let prefix = match &options.prefix {
        Some(prefix) => absolute(prefix)?,
        None => stage::stage(Profile::Release)?,
    };
    let folder = target().join("libraries").join(recipe.name);
    let build = match &options.build {
        Some(build) => absolute(build)?,
        None => folder.join("build"),
    };
    configure(&options, &source, &prefix, &build)?;
    let tests = (recipe.tests)(&source, &build)?;
    let names: Vec<String> = tests.iter().map(|test| test.name.clone()).collect();
    let tests = recipe::select(tests, &options.tests)?;
    let docs = root().join("docs");
    for backend in &options.backends {
        let mut variables = backend.driver()?;
        variables.push(format!("ONEAPI_DEVICE_SELECTOR={}:*", backend.in_selector()));
        let file = report::file(&docs, recipe.name, *backend);
        let mut results = Results::load(&file)?;
        let commit = commit(&source);
        if results.commit != commit {
            results = Results { commit, ..Results::default() };
        }
        results.add_missing(&names);
        for test in &tests {
            let known = results.of(&test.name).is_some_and(|o| o.verdict != Verdict::NotRun);
            if options.resume && known {
                continue;
            }
            let outcome = match build_test(&options, test, &build)? {
                Some(error) => Outcome::not_built(error),
                None => execute(&options, test, &build, &folder, &variables)?,
            };
            eprintln!("    {} [{}]: {}", test.name, backend.name(), outcome.summary());
            results.set(&test.name, outcome.without_folders(&[&source, &build, &prefix]));
            results.save(&file)?;
            report::write(&docs)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the library's CMake in the folder `build` below `folder`.
fn configure(options: &Options, source: &Path, prefix: &Path, build: &Path) -> Result<(), String> {
    let recipe = options.recipe;
    progress(&format!("configuring {}", recipe.title));
    let mut command = Command::new("cmake");
    command
        .args(["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-S"])
        .arg(source)
        .arg("-B")
        .arg(build)
        .arg(format!("-DCMAKE_CXX_COMPILER={}", prefix.join("bin/scythe").display()))
        .args(recipe.configure)
        .args(&options.configure)
        .env("CMAKE_PREFIX_PATH", prefix);
    let outcome = capture(&mut command, options.limit)?;
    match outcome.success() {
        true => Ok(()),
        false => Err(format!("'{}' failed: {}", process::shown(&command), outcome.describe())),
    }
}

/// Builds a test. Returns the first error if that fails. At the limit, `timeout` asks ninja to end,
/// which then ends the compilers: they are in process groups of their own.
fn build_test(options: &Options, test: &Test, build: &Path) -> Result<Option<String>, String> {
    let limit = options.limit.as_secs().to_string();
    let mut command = Command::new("timeout");
    command.args([limit.as_str(), "ninja", "-C"]).arg(build);
    command.arg(format!("-j{}", options.jobs)).arg(&test.target);
    let outcome = capture(&mut command, options.limit + Duration::from_secs(60))?;
    match outcome.status {
        Some(0) => Ok(None),
        Some(124) | None => Ok(Some(format!("the build exceeded its time limit of {limit} s"))),
        Some(_) => Ok(Some(outcome::first_error(&outcome.stdout).to_owned())),
    }
}

/// Runs a test that is built.
fn execute(
    options: &Options,
    test: &Test,
    build: &Path,
    folder: &Path,
    variables: &[String],
) -> Result<Outcome, String> {
    let mut command = Command::new("env");
    command.args(variables).args(recipe::OPEN_MPI).args(options.recipe.variables);
    command.current_dir(build).env(CACHE, folder.join("cache"));
    match &test.launch {
        Launch::Program { path, args, ranks } => {
            if *ranks > 0 {
                command.args(["mpirun", "--bind-to", "none", "-n", &ranks.to_string()]);
            }
            command.arg(build.join(path)).args(args);
            Ok(Outcome::of(&capture(&mut command, options.limit)?))
        }
        Launch::CTest => {
            let name = format!("^{}$", test.name.replace('.', "\\.").replace('+', "\\+"));
            let limit = options.limit.as_secs().to_string();
            command.args(["ctest", "-V", "--timeout", &limit, "-R", &name]);
            // CTest stops the test at the limit.
            let outcome = capture(&mut command, options.limit + Duration::from_secs(60))?;
            Ok(Outcome::of_ctest(&outcome))
        }
    }
}

/// Returns the first 12 digits of the checkout's commit.
fn commit(source: &Path) -> String {
    let mut git = Command::new("git");
    git.arg("-C").arg(source).args(["rev-parse", "--short=12", "HEAD"]);
    process::output(&mut git).map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, String> {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_select_tests_and_backends() {
        let options = parse("onedpl --source a --test sort --backend opencl --jobs 3").unwrap();
        assert_eq!(options.tests, ["sort"]);
        assert_eq!((options.backends, options.jobs), (vec![Backend::OpenCl], 3));
        let options = parse("celerity --source a").unwrap();
        assert!(options.tests.is_empty() && options.backends == [Backend::Cpu]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "a library is missing"),
            ("mkl --source a", "unknown library 'mkl': expected celerity, "),
            ("kokkos", "--source is missing"),
            ("kokkos --source", "needs a value"),
            ("kokkos --source a --backend hip", "'hip'"),
            ("kokkos --source a --jobs 0", "'0'"),
            ("kokkos --source a --fast", "'--fast'"),
        ] {
            assert!(parse(text).unwrap_err().contains(part), "{text}");
        }
    }
}
