//! `cargo xtask cts`: runs the SYCL conformance suite, one category at a time, and writes the table
//! in `docs/conformance.md`.
//!
//! The suite is a checkout with unmodified tests. Its own CMake files define the sources of each
//! category and the way to compile them; `cmake/cts/AddSYCLExecutable.cmake` registers Scythe
//! there. This tool then compiles each source separately, so that a source that does not compile
//! only affects its own tests. It links and runs the compiled sources. The results of a category
//! are kept below the target folder, so `--resume` continues an interrupted run.

mod build;
mod commands;
mod execute;
pub mod limits;
mod outcome;
mod report;
mod suite;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::backend::Backend;
use crate::process::progress;
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::{root, target};
use limits::Limits;
use outcome::Outcome;
use suite::Suite;

pub const HELP: &str = "\
Usage: cargo xtask cts --suite PATH [OPTION]...

  --suite PATH        a checkout of SYCL-CTS
  --catch2 PATH       a checkout of Catch2, where the suite's submodule vendor/Catch2 is empty
  --backend NAME      cpu (default), opencl or cuda; may be repeated: categories are built once \
  and run on each
  --category NAME     only this one; may be repeated
  --resume            leave out categories that have a result
  --rerun             run the programs that an earlier call built, without building them anew. \
  Without --suite, nothing
                      else is built either: it needs only this tool, the folder cts of the target \
                      folder, and
                      Scythe's libraries
  --time-limit S      seconds for a category's build, and again for its run (default 3600)
  --memory-limit MB   of each compiler or test program (default 8192)
  --jobs N            compilers at the same time (default: processors)
  --prefix DIR        an installed tree of Scythe to use, instead of one that is built now
";

#[derive(Debug, PartialEq)]
struct Options {
    suite: PathBuf,
    catch2: Option<PathBuf>,
    backends: Vec<Backend>,
    categories: Vec<String>,
    resume: bool,
    rerun: bool,
    limits: Limits,
    jobs: usize,
    prefix: Option<PathBuf>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options {
            suite: PathBuf::new(),
            catch2: None,
            backends: Vec::new(),
            categories: Vec::new(),
            resume: false,
            rerun: false,
            limits: Limits { time: Duration::from_secs(3600), memory: 8192 << 20 },
            jobs: std::thread::available_parallelism().map_or(1, |n| n.get()),
            prefix: None,
        };
        let mut words = args.iter().flat_map(|a| match a.split_once('=') {
            Some((name, value)) if name.starts_with("--") => vec![name, value],
            _ => vec![a.as_str()],
        });
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| format!("'{word}' needs a value\n\n{HELP}"));
            match word {
                "--suite" => options.suite = PathBuf::from(value()?),
                "--catch2" => options.catch2 = Some(PathBuf::from(value()?)),
                "--backend" => options.backends.push(Backend::parse(value()?)?),
                "--category" => options.categories.push(value()?.to_owned()),
                "--resume" => options.resume = true,
                "--rerun" => options.rerun = true,
                "--time-limit" => {
                    options.limits.time = Duration::from_secs(number(word, value()?)?)
                }
                "--memory-limit" => {
                    options.limits.memory = number(word, value()?)?.saturating_mul(1 << 20)
                }
                "--jobs" => {
                    options.jobs = usize::try_from(number(word, value()?)?).unwrap_or(usize::MAX)
                }
                "--prefix" => options.prefix = Some(PathBuf::from(value()?)),
                _ => return Err(format!("unknown argument '{word}' of 'cts'\n\n{HELP}")),
            }
        }
        if options.suite.as_os_str().is_empty() && !options.rerun {
            return Err(format!("--suite is missing\n\n{HELP}"));
        }
        if options.backends.is_empty() {
            options.backends.push(Backend::Cpu);
        }
        Ok(options)
    }
}

fn number(option: &str, text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err(format!("'{option}' is '{text}', expected a positive number")),
        Ok(n) => Ok(n),
    }
}

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    if args.iter().any(|a| a == "--help" || a == "-h") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(args)?;
    let folder = target().join("cts");
    let elsewhere = options.suite.as_os_str().is_empty();
    let suite = if elsewhere { Suite::configured(&folder)? } else { configure(&options, &folder)? };
    let wanted = chosen(&suite, &options.categories)?;
    for category in &wanted {
        let missing: Vec<Backend> = options
            .backends
            .iter()
            .copied()
            .filter(|b| !(options.resume && Outcome::load(&folder, *b, category).is_some()))
            .collect();
        if missing.is_empty() {
            continue;
        }
        progress(&format!("category {category}"));
        let built = if options.rerun {
            // All backends run the same programs.
            let before = Backend::ALL.iter().find_map(|b| Outcome::load(&folder, *b, category));
            build::built_before(&suite, category, &before.unwrap_or_default())?
        } else {
            build::build(&suite, category, options.limits, options.jobs)?
        };
        for backend in missing {
            let outcome = execute::run(&suite, category, &built, backend, options.limits)?;
            println!("{category} [{}]: {}", backend.name(), outcome.summary());
            outcome.save(&folder, backend, category)?;
        }
        report::write(&suite, &folder, &root().join("docs"))?;
    }
    report::write(&suite, &folder, &root().join("docs"))?;
    Ok(ExitCode::SUCCESS)
}

fn configure(options: &Options, folder: &Path) -> Result<Suite, String> {
    // The suite is linked with OpenCL's loader, whatever backend it runs on.
    setup::ensure(Purpose::Bench)?;
    let prefix = match &options.prefix {
        Some(prefix) => {
            std::path::absolute(prefix).map_err(|e| format!("{}: {e}", prefix.display()))?
        }
        None => stage::stage(Profile::Release)?,
    };
    Suite::configure(&options.suite, options.catch2.as_deref(), &prefix, folder)
}

/// Returns the categories to run: the named ones, which must exist in the suite, or all.
fn chosen(suite: &Suite, named: &[String]) -> Result<Vec<String>, String> {
    if let Some(unknown) = named.iter().find(|n| !suite.categories.contains(n)) {
        return Err(format!(
            "unknown category '{unknown}'; the suite has: {}",
            suite.categories.join(" ")
        ));
    }
    Ok(if named.is_empty() { suite.categories.clone() } else { named.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, String> {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_may_repeat_and_have_values_either_way() {
        let o = parse(
            "--suite=a --category id --category=range --backend cpu --backend opencl \
                --backend=cuda --jobs=3",
        )
        .unwrap();
        assert_eq!(o.suite, PathBuf::from("a"));
        assert_eq!(o.categories, ["id", "range"]);
        assert_eq!(o.backends, Backend::ALL);
        assert_eq!(o.jobs, 3);
    }

    #[test]
    fn the_backend_is_the_cpu_unless_named() {
        assert_eq!(parse("--suite a").unwrap().backends, [Backend::Cpu]);
        assert_eq!(parse("--rerun").unwrap().backends, [Backend::Cpu]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "--suite is missing"),
            ("--suite", "needs a value"),
            ("--suite a --backend metal", "'metal'"),
            ("--suite a --jobs none", "'none'"),
            ("--suite a --time-limit 0", "a positive number"),
            ("--suite a --fast", "'--fast'"),
        ] {
            assert!(parse(text).unwrap_err().contains(part), "{text}");
        }
    }
}
