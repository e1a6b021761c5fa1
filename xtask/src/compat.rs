//! `cargo xtask compat`: builds the SYCL programs of HeCBench with their own Makefiles, runs them
//! on the CPU, and writes the table in `docs/compatibility.md`.
//!
//! The suite is an unmodified checkout. Programs are built in a folder of links to its files, so
//! the checkout does not change. The results are kept below the target folder, so `--resume`
//! continues an interrupted run. A whole run takes hours; `--resume` in a new checkout continues
//! with the results on the page.

pub mod build;
pub mod outcome;
mod report;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::time::Duration;

use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::stage::{self, Profile};
use crate::workspace::{root, target};
use build::Tree;
use outcome::Outcome;

pub const HELP: &str = "\
Usage: cargo xtask compat --suite PATH [OPTION]...

  --suite PATH      a checkout of HeCBench
  --program NAME    only this program; may be repeated
  --target NAME     cpu or sm_90; may be repeated. Default: both
  --no-run          do not run the programs
  --resume          leave out programs that have a result
  --limit SECONDS   the processor time of a run. A program that needs more gets no result.
                    Default: 60, after which a program counts as slow
  --jobs N          programs to build or run at the same time. Default: processors
  --prefix DIR      an installed tree of Scythe to use, instead of one that is built now
";

/// The headers of oneDPL, from PyPI.
const ONEDPL: &str = "onedpl-devel==2022.14.0";
/// Debian packages that programs of the suite need, each with a file that it installs.
const PACKAGES: [(&str, &str); 6] = [
    ("libopenmpi-dev", "/usr/bin/mpicxx"),
    ("libgsl-dev", "/usr/include/gsl/gsl_math.h"),
    ("libboost-dev", "/usr/include/boost/version.hpp"),
    ("libgdal-dev", "/usr/include/gdal/gdal.h"),
    ("libtbb-dev", "/usr/include/tbb/tbb.h"),
    ("libomp-22-dev", "/usr/lib/llvm-22/lib/libomp.so"),
];

/// The device that a program is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    Cpu,
    Sm90,
}

impl Device {
    pub const ALL: [Device; 2] = [Device::Cpu, Device::Sm90];

    pub fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Sm90 => "sm_90",
        }
    }

    /// Returns the variables of the suite's Makefiles that select the device.
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            Device::Cpu => &["GPU=no"],
            Device::Sm90 => &["CUDA=yes", "CUDA_ARCH=sm_90"],
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Options {
    suite: PathBuf,
    programs: Vec<String>,
    devices: Vec<Device>,
    run: bool,
    resume: bool,
    limit: Duration,
    jobs: usize,
    prefix: Option<PathBuf>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options {
            suite: PathBuf::new(),
            programs: Vec::new(),
            devices: Vec::new(),
            run: true,
            resume: false,
            limit: build::RUN_LIMIT,
            jobs: std::thread::available_parallelism().map_or(1, |n| n.get()),
            prefix: None,
        };
        let mut words = args.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| format!("'{word}' needs a value\n\n{HELP}"));
            match word {
                "--suite" => options.suite = PathBuf::from(value()?),
                "--program" => options.programs.push(value()?.to_owned()),
                "--target" => options.devices.push(device(value()?)?),
                "--no-run" => options.run = false,
                "--resume" => options.resume = true,
                "--limit" => {
                    let seconds = positive("--limit", value()?)?;
                    options.limit = Duration::from_secs(seconds as u64).min(build::RUN_LIMIT);
                }
                "--jobs" => options.jobs = positive("--jobs", value()?)?,
                "--prefix" => options.prefix = Some(PathBuf::from(value()?)),
                _ => return Err(format!("unknown argument '{word}' of 'compat'\n\n{HELP}")),
            }
        }
        if options.suite.as_os_str().is_empty() {
            return Err(format!("--suite is missing\n\n{HELP}"));
        }
        if options.devices.is_empty() {
            options.devices.extend(Device::ALL);
        }
        Ok(options)
    }
}

fn device(name: &str) -> Result<Device, String> {
    let known = Device::ALL.into_iter().find(|device| device.name() == name);
    known.ok_or_else(|| format!("unknown target '{name}': expected cpu or sm_90"))
}

pub fn positive(option: &str, text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err(format!("'{option}' is '{text}', expected a positive number")),
        Ok(number) => Ok(number),
    }
}

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(args)?;
    let all = programs(&options.suite)?;
    let wanted = chosen(&all, &options.programs)?;
    setup::ensure(Purpose::Bench)?;
    let prefix = match &options.prefix {
        Some(prefix) => {
            std::path::absolute(prefix).map_err(|e| format!("{}: {e}", prefix.display()))?
        }
        None => stage::stage(Profile::Release)?,
    };
    let folder = target().join("compat");
    if options.resume {
        report::read(&folder, &all, &root().join("docs"))?;
    }
    for device in &options.devices {
        let tree = tree(&options.suite, &folder, *device, &prefix)?;
        let missing =
            |name: &&String| !options.resume || !Outcome::load(&folder, name).is_built_for(*device);
        let missing: Vec<String> = wanted.iter().filter(missing).cloned().collect();
        progress(&format!("building {} programs for {}", missing.len(), device.name()));
        build::all(&tree, &options.suite, &missing, options.jobs, |name, built| {
            let mut outcome = Outcome::load(&folder, name);
            outcome.set_built(*device, built);
            outcome.save(&folder, name)
        })?;
        let publish = || report::write(&options.suite, &folder, &all, &root().join("docs"));
        if *device == Device::Cpu && options.run {
            run_all(&tree, &folder, &wanted, &options, publish)?;
        }
        publish()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the folder below `folder` in which programs are built for a device, and installs the
/// libraries that programs need.
pub fn tree(suite: &Path, folder: &Path, device: Device, prefix: &Path) -> Result<Tree, String> {
    setup::ensure_packages(&PACKAGES)?;
    Tree::open(suite, folder, device, prefix, &onedpl()?)
}

/// Runs the programs that build and, with `--resume`, have no verdict. Calls `publish` after each
/// verdict, so that an interrupted run loses none.
fn run_all(
    tree: &Tree,
    folder: &Path,
    wanted: &[String],
    options: &Options,
    publish: impl Fn() -> Result<(), String> + Sync,
) -> Result<(), String> {
    let due = |name: &&String| {
        let outcome = Outcome::load(folder, name);
        outcome.builds(Device::Cpu) && !(options.resume && outcome.run.is_some())
    };
    let due: Vec<String> = wanted.iter().filter(due).cloned().collect();
    progress(&format!("running {} programs", due.len()));
    let page = Mutex::new(());
    build::each(&due, options.jobs, |number, name| {
        let mut outcome = Outcome::load(folder, name);
        outcome.run = build::execute(tree, name, options.limit)?;
        let verdict = outcome.run.as_ref().map_or("not ended", |run| run.verdict.name());
        eprintln!("    {name}: {verdict} ({number} of {})", due.len());
        outcome.save(folder, name)?;
        let _page = page.lock().expect("no thread panics");
        publish()
    })
}

/// Returns the names of the SYCL programs in the suite, without the suffix `-sycl`.
pub fn programs(suite: &Path) -> Result<Vec<String>, String> {
    let source = suite.join("src");
    let entries = std::fs::read_dir(&source)
        .map_err(|e| format!("cannot read {}, a folder of HeCBench: {e}", source.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix("-sycl")?.to_owned()))
        .collect();
    names.sort();
    match names.is_empty() {
        true => Err(format!("{} contains no folder NAME-sycl", source.display())),
        false => Ok(names),
    }
}

/// Returns the programs to build: the named ones, which must exist in the suite, or all.
pub fn chosen(all: &[String], named: &[String]) -> Result<Vec<String>, String> {
    if let Some(unknown) = named.iter().find(|name| !all.contains(name)) {
        return Err(format!("unknown program '{unknown}'; see the folders src/NAME-sycl"));
    }
    Ok(if named.is_empty() { all.to_vec() } else { named.to_vec() })
}

/// Returns the folder of oneDPL's headers, which are installed below the target folder.
fn onedpl() -> Result<PathBuf, String> {
    let environment = target().join("compat/onedpl");
    let include = environment.join("include");
    if !include.join("oneapi/dpl/execution").exists() {
        progress(&format!("installing {ONEDPL} from PyPI"));
        process::output(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        let pip = environment.join("bin/pip");
        process::output(Command::new(pip).args(["install", "--quiet", "--no-deps", ONEDPL]))?;
    }
    match include.join("oneapi/dpl/execution").exists() {
        true => Ok(include),
        false => Err(format!("{ONEDPL} does not contain include/oneapi/dpl/execution")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, String> {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_may_repeat() {
        let options =
            parse("--suite a --program x --program y --target sm_90 --jobs 3 --no-run").unwrap();
        assert_eq!(options.programs, ["x", "y"]);
        assert_eq!(options.devices, [Device::Sm90]);
        assert_eq!((options.jobs, options.run), (3, false));
        assert_eq!(parse("--suite a").unwrap().devices, Device::ALL);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "--suite is missing"),
            ("--suite", "needs a value"),
            ("--suite a --target metal", "'metal'"),
            ("--suite a --jobs 0", "'0'"),
            ("--suite a --limit x", "'--limit' is 'x'"),
            ("--suite a --fast", "'--fast'"),
        ] {
            assert!(parse(text).unwrap_err().contains(part), "{text}");
        }
        let error = programs(Path::new("/nowhere")).unwrap_err();
        assert!(error.contains("/nowhere/src"), "{error}");
        let error = chosen(&["a".to_owned()], &["b".to_owned()]).unwrap_err();
        assert!(error.contains("'b'"), "{error}");
    }
}
