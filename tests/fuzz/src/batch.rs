//! Compiles a program of many kernels in all the ways of its kind, runs each, and compares what
//! they print.
//!
//! A kernel that crashes or hangs takes its program with it: the program is started again behind
//! that kernel.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::kernel::{Kernel, Kind, program};

/// Where the compiler is, and how the kernels of one program are compiled.
#[derive(Clone, Debug)]
pub struct Toolchain {
    pub prefix: PathBuf,
    /// For device code: `-O2`.
    pub level: String,
    /// The devices to compare with the host.
    pub devices: Devices,
    /// The only run besides the reference; all runs otherwise.
    pub only: Option<&'static str>,
}

/// Devices that run random kernels.
#[derive(Clone, Debug)]
pub struct Devices {
    pub cpu: bool,
    /// The folder of Intel's OpenCL runtime for CPUs, to compare with it.
    pub opencl: Option<PathBuf>,
    /// The architecture of this machine's NVIDIA GPU, to compare with it: `sm_90`.
    pub cuda: Option<String>,
}

impl Devices {
    pub const CPU: Devices = Devices { cpu: true, opencl: None, cuda: None };
}

/// Commands that compile, and runs of what they made. The first run is the reference.
pub struct Plan {
    /// The commands of one chain follow each other; chains run at the same time.
    pub chains: Vec<Vec<Command>>,
    pub runs: Vec<Run>,
}

impl Plan {
    /// Leaves out all runs except the reference and one other, and the programs of those runs.
    fn keep(&mut self, only: &str) {
        let all = std::mem::take(&mut self.runs).into_iter().enumerate();
        let (kept, others): (Vec<_>, Vec<_>) =
            all.partition(|(index, run)| *index == 0 || run.name == only);
        self.runs = kept.into_iter().map(|(_, run)| run).collect();
        let is_needed = |program: &Path| self.runs.iter().any(|run| run.program == program);
        let unneeded: Vec<_> = others
            .into_iter()
            .map(|(_, run)| run.program)
            .filter(|program| !is_needed(program))
            .collect();
        let makes_other = |command: &Command| {
            command.get_args().any(|word| unneeded.iter().any(|program| program == word))
        };
        self.chains.iter_mut().for_each(|chain| chain.retain(|command| !makes_other(command)));
    }
}

pub struct Run {
    pub name: &'static str,
    pub program: PathBuf,
    /// Behind the number of the first kernel.
    pub arguments: Vec<String>,
    pub environment: Vec<(&'static str, String)>,
}

/// A kernel whose result differs from the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub seed: u64,
    pub run: &'static str,
    pub got: String,
    pub expected: String,
}

/// What came of a batch.
pub struct Outcome {
    pub mismatches: Vec<Mismatch>,
    /// Kernels that the reference leaves out, or whose sub-group size a device does not have.
    pub skipped: usize,
}

/// A part of the error of a device that does not have the sub-group size that a kernel requires.
const OTHER_SUB_GROUPS: &str = "device does not support this sub-group size";

/// Compiles and runs `kernels` in `folder`; an error is a compiler's.
pub fn compare<K: Kind>(
    kernels: &[Kernel<K>],
    tools: &Toolchain,
    folder: &Path,
) -> Result<Outcome, String> {
    let source = folder.join("kernels.cpp");
    std::fs::write(&source, program(kernels))
        .map_err(|e| format!("cannot write {}: {e}", source.display()))?;
    let mut plan = K::plan(tools, folder);
    if let Some(only) = tools.only {
        plan.keep(only);
    }
    std::thread::scope(|scope| {
        let chains: Vec<_> = plan
            .chains
            .iter_mut()
            .map(|chain| scope.spawn(|| chain.iter_mut().try_for_each(compile)))
            .collect();
        let joined = |t: std::thread::ScopedJoinHandle<'_, Result<(), String>>| {
            t.join().unwrap_or_else(|_| Err("a thread of the comparison panicked".to_owned()))
        };
        chains.into_iter().map(joined).collect::<Result<Vec<()>, String>>()
    })?;
    let seeds: Vec<u64> = kernels.iter().map(|k| k.seed).collect();
    let mut reference: Vec<String> = Vec::new();
    let mut mismatches: Vec<Mismatch> = Vec::new();
    let mut unsupported = BTreeSet::new();
    for run in &plan.runs {
        let got = lines(run, &seeds, folder, K::SILENCE)?;
        if reference.is_empty() {
            reference.clone_from(&got);
        }
        for ((&seed, got), expected) in seeds.iter().zip(got).zip(&reference) {
            if got.contains(OTHER_SUB_GROUPS) {
                unsupported.insert(seed);
                continue;
            }
            let known = mismatches.iter().any(|m| m.seed == seed);
            if (got != *expected || is_failure(expected)) && !known {
                mismatches.push(Mismatch { seed, run: run.name, got, expected: expected.clone() });
            }
        }
    }
    unsupported.retain(|seed| mismatches.iter().all(|m| m.seed != *seed));
    let left_out = reference.iter().filter(|line| *line == "skipped").count();
    Ok(Outcome { mismatches, skipped: left_out + unsupported.len() })
}

fn compile(command: &mut Command) -> Result<(), String> {
    let output = command
        .env_remove("LD_LIBRARY_PATH")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run {command:?}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?} failed with {}:\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// What is wrong with a line that should hold a number.
fn is_failure(line: &str) -> bool {
    line.contains(':')
}

/// What a run prints for each kernel, without its seed; how it ended, for those that end it.
fn lines(
    run: &Run,
    seeds: &[u64],
    folder: &Path,
    silence: Duration,
) -> Result<Vec<String>, String> {
    let mut all: Vec<String> = Vec::new();
    while all.len() < seeds.len() {
        let (printed, ending) = start(run, all.len(), folder, silence)?;
        for line in printed.lines() {
            let seed = seeds.get(all.len()).copied().unwrap_or_default();
            match line.strip_prefix(&format!("{seed} ")) {
                Some(result) => all.push(result.to_owned()),
                None => {
                    return Err(format!(
                        "{} printed '{line}', expected the result of kernel {seed}",
                        run.program.display()
                    ));
                }
            }
        }
        if all.len() < seeds.len() {
            all.push(ending);
        }
    }
    Ok(all)
}

/// Runs from kernel number `first` on; returns what it printed, and how it ended.
fn start(
    run: &Run,
    first: usize,
    folder: &Path,
    silence: Duration,
) -> Result<(String, String), String> {
    let program = &run.program;
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let path = folder.join(format!("{name}.out"));
    let fail = |e: std::io::Error| format!("cannot run {}: {e}", program.display());
    let file = std::fs::File::create(&path).map_err(fail)?;
    let errors = std::fs::File::create(folder.join(format!("{name}.err"))).map_err(fail)?;
    let mut command = Command::new(program);
    command.env_remove("LD_LIBRARY_PATH");
    let environment = run.environment.iter().map(|(name, value)| (name, value));
    command.arg(first.to_string()).args(&run.arguments).envs(environment);
    command.stdin(Stdio::null()).stdout(file).stderr(errors);
    // The cache would make each run of the reducer write more; nothing here is built twice.
    command.env("SYCL_CACHE_PERSISTENT", "0");
    let mut child = command.spawn().map_err(fail)?;
    let (mut seen, mut since) = (0, Instant::now());
    let status = loop {
        if let Some(status) = child.try_wait().map_err(fail)? {
            break Some(status);
        }
        let length = std::fs::metadata(&path).map_err(fail)?.len();
        if length != seen {
            (seen, since) = (length, Instant::now());
        } else if since.elapsed() > silence {
            child.kill().map_err(fail)?;
            child.wait().map_err(fail)?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let printed = std::fs::read_to_string(&path).map_err(fail)?;
    // A line that was cut off is none.
    let whole = printed.rfind('\n').map_or(0, |end| end + 1);
    let errors = std::fs::read_to_string(folder.join(format!("{name}.err"))).unwrap_or_default();
    let ending = match status {
        Some(status) => format!("ended: {status} {}", errors.trim()),
        None => format!("stopped: printed nothing for {} s", silence.as_secs()),
    };
    Ok((printed[..whole].to_owned(), ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Code;

    #[test]
    fn only_the_programs_of_kept_runs_are_made() {
        let folder = Path::new("/folder");
        let tools = Toolchain {
            prefix: "/prefix".into(),
            level: "-O2".to_owned(),
            devices: Devices::CPU,
            only: Some("widened"),
        };
        let mut plan = Code::plan(&tools, folder);
        let commands = |plan: &Plan| plan.chains.iter().map(Vec::len).sum::<usize>();
        assert_eq!(commands(&plan), 4);
        plan.keep("widened");
        assert_eq!(commands(&plan), 3);
        assert!(plan.runs.iter().map(|run| run.name).eq(["host", "widened"]));
    }

    /// What a shell script prints that stands for the program of kernels 1 to 4.
    fn printed_by(script: &str) -> Result<Vec<String>, String> {
        use std::os::unix::fs::PermissionsExt;
        // A script that another test's child still holds open for writing cannot be run.
        static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let run = Run { name: "script", program, arguments: Vec::new(), environment: Vec::new() };
        lines(&run, &[1, 2, 3, 4], folder.path(), Duration::from_secs(60))
    }

    #[test]
    fn each_kernel_has_its_line() {
        assert_eq!(
            printed_by("for k in 1 2 3 4; do echo $k a$k; done").unwrap(),
            ["a1", "a2", "a3", "a4"]
        );
    }

    #[test]
    fn kernels_behind_one_that_crashes_run_all_the_same() {
        // The third kernel, number 2, crashes in the middle of its line.
        let script = "k=$1; while [ $k -lt 4 ]; do\n\
                      [ $k = 2 ] && { printf '3 a'; echo why >&2; kill -SEGV $$; }\n\
                      echo $((k + 1)) fine; k=$((k + 1)); done";
        let lines = printed_by(script).unwrap();
        assert_eq!([&lines[0], &lines[1], &lines[3]], ["fine"; 3]);
        assert!(
            lines[2].starts_with("ended: signal: 11") && lines[2].ends_with("why"),
            "{}",
            lines[2]
        );
        assert!(is_failure(&lines[2]) && !is_failure(&lines[0]));
    }

    #[test]
    fn a_line_for_another_kernel_is_an_error() {
        assert!(
            printed_by("echo 2 a2")
                .unwrap_err()
                .contains("printed '2 a2', expected the result of kernel 1")
        );
    }
}
