//! End-to-end programs: compiles each source in `examples` and `tests/e2e` in every mode that it
//! names, and runs it. The programs check their own results.
//!
//! Directives at the head of a source restrict the modes; `docs/file-tests.md` lists them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use scythe_filetest::program::{Mode, Program as Directives};

use crate::process::{self, CACHE, Outcome, Scratch, capture};
use crate::workspace::{files, root};

const COMPILE_LIMIT: Duration = Duration::from_secs(180);
const RUN_LIMIT: Duration = Duration::from_secs(120);
const VALGRIND_LIMIT: Duration = Duration::from_secs(600);

/// The devices on which programs run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The device that the programs choose. Only the built-in driver is available.
    Cpu,
    /// OpenCL devices. The folder contains the driver.
    OpenCl(PathBuf),
}

/// A program to compile and run.
struct Case {
    source: PathBuf,
    name: String,
    mode: Mode,
    level: String,
    directives: Directives,
}

/// The results of all cases.
#[derive(Debug, Default)]
pub struct Tally {
    pub passed: usize,
    pub failures: Vec<String>,
}

/// Compiles and runs all programs whose name contains one of `filters`. Host mode exists only on
/// the CPU.
pub fn run(prefix: &Path, filters: &[String], backend: &Backend) -> Result<Tally, String> {
    let mut cases = Vec::new();
    for (source, directives) in programs(filters)? {
        if !directives.backends.iter().any(|name| name == backend.name()) {
            continue;
        }
        for &mode in directives
            .modes
            .iter()
            .filter(|mode| *backend == Backend::Cpu || **mode == Mode::Device)
        {
            let levels = if mode == Mode::Device {
                directives.levels.clone()
            } else {
                vec!["O2".to_owned()]
            };
            for level in levels {
                let stem = source.file_stem().unwrap_or_default().to_string_lossy();
                let name = format!("{stem} [{} -{level}]", mode.name());
                cases.push(Case {
                    source: source.clone(),
                    name,
                    mode,
                    level,
                    directives: directives.clone(),
                });
            }
        }
    }
    run_all(&cases, |case| case.check(prefix, backend))
}

/// A program for a machine that cannot compile it.
pub struct Program {
    pub source: PathBuf,
    pub name: String,
    pub flags: Vec<String>,
    pub args: Vec<String>,
    /// Texts that the program's output must contain.
    pub expected: Vec<String>,
    /// Whether the program may be compiled ahead of time.
    pub ahead: bool,
    /// Whether the program calls the installed compiler when it runs.
    pub compiler: bool,
}

/// Returns the programs of device mode that may run on a backend and whose name contains one of
/// `filters`.
pub fn device_programs(backend: &str, filters: &[String]) -> Result<Vec<Program>, String> {
    let runs = |d: &Directives| {
        d.modes.contains(&Mode::Device) && d.backends.iter().any(|name| name == backend)
    };
    let programs = programs(filters)?.into_iter().filter(|(_, directives)| runs(directives));
    let program = |(source, d): (PathBuf, Directives)| {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Program {
            source,
            name,
            flags: d.flags,
            args: d.args,
            expected: d.output,
            ahead: d.ahead,
            compiler: d.compiler,
        }
    };
    Ok(programs.map(program).collect())
}

/// Runs the device programs under valgrind's memcheck. The examples also compile their kernels
/// there. The kernels of other programs are compiled ahead of time, because a compiler under
/// valgrind takes minutes and finds nothing new in each program.
pub fn valgrind(prefix: &Path, filters: &[String]) -> Result<Tally, String> {
    let mut cases = Vec::new();
    for (source, directives) in programs(filters)? {
        let on_cpu = directives.backends.iter().any(|name| name == Backend::Cpu.name());
        if on_cpu && directives.modes.contains(&Mode::Device) && directives.valgrind_args.is_some()
        {
            let stem = source.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{stem} [valgrind]");
            cases.push(Case {
                source,
                name,
                mode: Mode::Device,
                level: "O1".to_owned(),
                directives,
            });
        }
    }
    run_all(&cases, |case| case.memcheck(prefix))
}

fn run_all(
    cases: &[Case],
    check: impl Fn(&Case) -> Result<(), String> + Sync,
) -> Result<Tally, String> {
    let results = process::parallel(cases, |case| {
        let result = check(case);
        eprintln!("    {} {}", if result.is_ok() { "ok    " } else { "FAILED" }, case.name);
        result.map_err(|e| format!("{}: {e}", case.name))
    });
    let mut tally = Tally::default();
    for result in results {
        match result {
            Ok(()) => tally.passed += 1,
            Err(e) => tally.failures.push(e),
        }
    }
    Ok(tally)
}

fn programs(filters: &[String]) -> Result<Vec<(PathBuf, Directives)>, String> {
    let mut found = Vec::new();
    for folder in ["examples", "tests/e2e"].map(|f| root().join(f)) {
        for source in files(&folder, &["cpp"])? {
            // Subfolders are projects of several sources, which scenarios build.
            if source.parent() != Some(&folder) {
                continue;
            }
            let name = source.to_string_lossy();
            if filters.is_empty() || filters.iter().any(|f| name.contains(f.as_str())) {
                let text = std::fs::read_to_string(&source)
                    .map_err(|e| format!("cannot read {name}: {e}"))?;
                let directives = Directives::parse(&text).map_err(|e| format!("{name}: {e}"))?;
                found.push((source, directives));
            }
        }
    }
    Ok(found)
}

impl Backend {
    fn name(&self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::OpenCl(_) => "opencl",
        }
    }
}

impl Case {
    /// Compiles and runs the program, and compares its output.
    fn check(&self, prefix: &Path, backend: &Backend) -> Result<(), String> {
        let scratch = Scratch::new("e2e")?;
        let program = self.compile(prefix, scratch.path(), &[])?;
        let Backend::OpenCl(libraries) = backend else {
            return self.run(&program, scratch.path(), &[]);
        };
        let mut variables = crate::opencl::variables(libraries).to_vec();
        variables.push("ONEAPI_DEVICE_SELECTOR=opencl:*".to_owned());
        // A validator checks every SPIR-V module of the program before the driver gets it.
        variables.push("SCYTHE_SPIRV_VALIDATOR=spirv-val".to_owned());
        self.run(&program, scratch.path(), &variables)?;
        if self.directives.backends.iter().any(|name| name == "opencl-objects") {
            variables.push("SCYTHE_OPENCL_MEMORY=objects".to_owned());
            self.run(&program, scratch.path(), &variables)
                .map_err(|e| format!("without shared memory: {e}"))?;
        }
        Ok(())
    }

    /// Runs the program and compares its output. `env` sets variables that this process itself must
    /// not have.
    fn run(&self, program: &Path, folder: &Path, variables: &[String]) -> Result<(), String> {
        let mut command = Command::new("env");
        command.args(variables).arg(program).args(&self.directives.args);
        let outcome =
            capture(command.current_dir(folder).env(CACHE, folder.join("cache")), RUN_LIMIT)?;
        match outcome.success() {
            true => self.compare(&outcome),
            false => Err(format!("the program failed: {}", outcome.describe())),
        }
    }

    fn memcheck(&self, prefix: &Path) -> Result<(), String> {
        let scratch = Scratch::new("valgrind")?;
        let at_run_time = self.source.starts_with(root().join("examples"));
        // valgrind does not support AVX-512.
        let ahead: &[&str] = &[
            "-Wno-sycl-aot",
            "-fsycl-targets=spir64_x86_64",
            "-Xsycl-target-backend",
            "-march=x86-64-v3",
        ];
        let program =
            self.compile(prefix, scratch.path(), if at_run_time { &[] } else { ahead })?;
        let mut command = Command::new("valgrind");
        command
            .args([
                "--quiet",
                "--error-exitcode=97",
                "--leak-check=full",
                "--show-leak-kinds=definite",
            ])
            .args([
                "--errors-for-leak-kinds=definite",
                "--child-silent-after-fork=yes",
                "--num-callers=20",
            ])
            .arg(format!("--suppressions={}", root().join("xtask/valgrind.supp").display()))
            .arg(&program)
            .args(self.directives.valgrind_args.as_deref().unwrap_or_default())
            .env(CACHE, scratch.path().join("cache"))
            .current_dir(scratch.path());
        let outcome = capture(&mut command, VALGRIND_LIMIT)?;
        if outcome.success() { Ok(()) } else { Err(outcome.describe()) }
    }

    /// Compiles in `folder`, and checks that the compiler leaves only the program.
    fn compile(&self, prefix: &Path, folder: &Path, options: &[&str]) -> Result<PathBuf, String> {
        let program = folder.join("program");
        let temp = folder.join("tmp");
        std::fs::create_dir(&temp).map_err(|e| format!("cannot create {}: {e}", temp.display()))?;
        let mut command = match self.mode {
            Mode::Device => scythe(prefix, &[]),
            Mode::Gxx => scythe(prefix, &["-fsycl-host-compiler=g++"]),
            Mode::Host => host_compiler(prefix),
        };
        command
            .arg(format!("-{}", self.level))
            .args(&self.directives.flags)
            .args(options)
            .arg(&self.source);
        if self.mode == Mode::Host {
            let lib = prefix.join("lib");
            command
                .arg("-L")
                .arg(&lib)
                .arg("-lscythe")
                .arg(format!("-Wl,-rpath,{}", lib.display()));
        }
        command.arg("-o").arg(&program).current_dir(folder).env("TMPDIR", &temp);
        let outcome = capture(&mut command, COMPILE_LIMIT)?;
        if !outcome.success() {
            return Err(format!("'{}' failed: {}", process::shown(&command), outcome.describe()));
        }
        if !outcome.stderr.is_empty() {
            return Err(format!(
                "'{}' printed unexpected output:\n{}",
                process::shown(&command),
                outcome.stderr
            ));
        }
        let left = std::fs::read_dir(&temp)
            .map_err(|e| format!("cannot read {}: {e}", temp.display()))?
            .count();
        if left > 0 && self.mode != Mode::Host {
            return Err(format!("'{}' left {left} temporary files", process::shown(&command)));
        }
        Ok(program)
    }

    fn compare(&self, outcome: &Outcome) -> Result<(), String> {
        let missing: Vec<_> = self
            .directives
            .output
            .iter()
            .filter(|e| !outcome.stdout.contains(e.as_str()))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(format!("the output does not contain {missing:?}:\n{}", outcome.stdout))
    }
}

fn scythe(prefix: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(prefix.join("bin/scythe"));
    command.args(["-fsycl", "-std=c++17", "-Wall", "-Wextra"]).args(options);
    command
}

fn host_compiler(prefix: &Path) -> Command {
    let mut command = Command::new("g++");
    command
        .args(["-std=c++17", "-Wall", "-Wextra", "-Wno-attributes"])
        .arg("-I")
        .arg(prefix.join("include"));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directives_of_all_programs_are_right() {
        let programs = programs(&[]).unwrap();
        assert!(programs.len() > 50, "only {} programs", programs.len());
    }
}
