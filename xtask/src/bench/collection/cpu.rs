//! Runs the SYCL and the OpenMP version of programs on one processor of this machine.
//!
//! The OpenMP versions are built by the suite's Makefiles with g++. A wrapper replaces the options
//! for offloading, which differ between the Makefiles' compilers, by options for the host. Both
//! versions run in the folder of the SYCL version with its arguments. The clock that they read is
//! the processor time of the process, so that other processes do not change what they print.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::record::{self, Run, TIMED_OUT, Version};
use super::suite::{self, Commands, Pair};
use crate::compat::build::{Tree, cpu_limit};
use crate::process::{self, CACHE, capture, progress};
use crate::workspace::root;

const BUILD_LIMIT: Duration = Duration::from_secs(300);
/// The longest elapsed time of a run. Unlike the processor time, it depends on other programs.
const WAIT_LIMIT: Duration = Duration::from_secs(120);
/// The exit status of a shell whose program exceeded its processor time: SIGXCPU, and SIGKILL.
const TIME_SIGNALS: [i32; 2] = [128 + 24, 128 + 9];
/// A program whose run takes longer than this runs at most twice.
const LONG: f64 = 5.0;
/// The Makefiles of OpenMP versions, the most usual options first.
const MAKEFILES: [&str; 3] = ["Makefile.aomp", "Makefile.nvc", "Makefile"];
const CLOCK: &str = "benches/collection/processor_clock.cpp";
/// Calls g++ without the options for offloading that other compilers have.
const WRAPPER: &str = r#"#!/bin/bash
options=()
for option; do
  case $option in
    -fiopenmp | -qopenmp* | -fopenmp* | -Xopenmp-target* | -foffload* | --offload-arch*) ;;
    -Minfo* | -mp* | -gpu=* | -acc* | -fast | -target | x86_64-pc-linux-gnu | -march=*) ;;
    -O[0-9] | -Ofast | -x[A-Z]* | -ipo | -f[ia]openmp-*) ;;
    *) options+=("$option") ;;
  esac
done
exec g++ -O3 -march=native -fopenmp -foffload=disable "${options[@]}"
"#;

pub struct Runs<'a> {
    pub suite: &'a Path,
    /// The folder of all results.
    pub folder: &'a Path,
    pub tree: &'a Tree,
    /// The file that gets the outputs.
    pub results: &'a Path,
    pub resume: bool,
    pub rounds: usize,
    /// The processor time of a run, in seconds.
    pub limit: usize,
}

impl Runs<'_> {
    /// Builds the OpenMP versions and runs the pairs that have no results.
    pub fn all(&self, pairs: &[Pair]) -> Result<(), String> {
        let mut known = record::Records::default();
        if self.resume && self.results.exists() {
            known = record::read(self.results)?;
        } else {
            self.write(&machine()?, false)?;
        }
        let (wrapper, clock) = (self.wrapper()?, self.clock()?);
        let due: Vec<&Pair> =
            pairs.iter().filter(|pair| !known.programs.contains_key(&pair.name)).collect();
        progress(&format!("building {} OpenMP programs", due.len()));
        let built = process::parallel(&due, |pair| self.build(&wrapper, &pair.name));
        progress(&format!("running {} pairs", due.len()));
        let processor = processor()?;
        for ((pair, built), number) in due.iter().zip(built).zip(1..) {
            eprintln!("    {} ({number} of {})", pair.name, due.len());
            match built? {
                Ok(program) => self.pair(pair, &program, &clock, processor)?,
                Err(why) => {
                    let lines = why.lines().map(|line| format!("| {line}\n")).collect::<String>();
                    self.write(&format!("== build {} 2\n{lines}", pair.name), true)?;
                }
            }
        }
        Ok(())
    }

    fn write(&self, text: &str, append: bool) -> Result<(), String> {
        let mut options = std::fs::OpenOptions::new();
        let file = options.create(true).write(true).append(append).truncate(!append);
        file.open(self.results)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|e| format!("cannot write {}: {e}", self.results.display()))
    }

    fn wrapper(&self) -> Result<PathBuf, String> {
        use std::os::unix::fs::PermissionsExt;
        let path = self.folder.join("host-g++");
        std::fs::write(&path, WRAPPER)
            .and_then(|()| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)))
            .map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        Ok(path)
    }

    /// Builds the library that replaces the clocks of programs.
    fn clock(&self) -> Result<PathBuf, String> {
        clock(self.folder)
    }

    /// Builds the OpenMP version. The inner result is the program, or the reason why there is none.
    fn build(&self, wrapper: &Path, name: &str) -> Result<Result<PathBuf, String>, String> {
        let folder = self.tree.folder(name).with_file_name(format!("{name}-omp"));
        let pair = Pair { name: name.to_owned(), arguments: None };
        let compiler = wrapper.display();
        let mut why = "the suite has no OpenMP version".to_owned();
        for makefile in MAKEFILES {
            if !folder.join(makefile).exists() {
                continue;
            }
            let variables = [format!("CC={compiler}"), format!("CXX={compiler}")];
            let call = || {
                let mut make = suite::make(&folder, &["-f", makefile, "DEVICE=cpu"]);
                make.args(&variables);
                make
            };
            capture(call().arg("clean"), BUILD_LIMIT)?;
            let outcome = capture(&mut call(), BUILD_LIMIT)?;
            if outcome.success()
                && let Ok(commands) = suite::commands(&mut call(), &pair)
            {
                return Ok(Ok(folder.join(commands.program)));
            }
            let error = outcome.stderr.lines().find(|line| line.contains("error"));
            why = error.unwrap_or("make failed").chars().take(200).collect();
        }
        Ok(Err(why.replace(&format!("{}/", self.suite.display()), "")))
    }

    fn pair(
        &self,
        pair: &Pair,
        other: &Path,
        clock: &Path,
        processor: usize,
    ) -> Result<(), String> {
        let commands = match suite::commands(&mut self.tree.make(&pair.name, None), pair) {
            Ok(commands) => commands,
            Err(why) => return self.write(&format!("== build {} 2\n| {why}\n", pair.name), true),
        };
        let ours = self.tree.folder(&pair.name).join(&commands.program);
        let mut rounds = self.rounds;
        let mut round = 0;
        while round < rounds {
            round += 1;
            for (version, program) in [(Version::Other, other), (Version::Sycl, &ours)] {
                let run = self.once(pair, &commands, program, clock, processor)?;
                self.write(&record::text(&pair.name, version, round, &run), true)?;
                if run.status != 0 {
                    return Ok(());
                }
                if run.elapsed > LONG {
                    rounds = rounds.min(2);
                }
            }
        }
        Ok(())
    }

    fn once(
        &self,
        pair: &Pair,
        commands: &Commands,
        program: &Path,
        clock: &Path,
        processor: usize,
    ) -> Result<Run, String> {
        let times = self.folder.join("times");
        let script = format!(
            "( set -e\n{}\n)\nstatus=$?\ntimes >\"$TIMES\"\nexit $status",
            commands.lines.join("\n")
        );
        let mut command = Command::new("taskset");
        command.args(["-c", &processor.to_string(), "prlimit", "--core=0"]);
        command.args([cpu_limit(Duration::from_secs(self.limit as u64)).as_str(), "sh", "-c"]);
        command.arg(&script);
        command.current_dir(self.tree.folder(&pair.name));
        command.env("PROGRAM", program).env("TIMES", &times);
        command
            .env("LD_PRELOAD", clock)
            .env("OMP_NUM_THREADS", "1")
            .env("OMP_TARGET_OFFLOAD", "DISABLED");
        command.env("SCYTHE_CPU_THREADS", "1").env("ONEAPI_DEVICE_SELECTOR", "native_cpu:*");
        command.env(CACHE, self.folder.join("cache"));
        let outcome = capture(&mut command, WAIT_LIMIT)?;
        let status = match outcome.status {
            _ if outcome.timed_out => TIMED_OUT,
            Some(status) if TIME_SIGNALS.contains(&status) => TIMED_OUT,
            status => status.unwrap_or(-1),
        };
        let text = std::fs::read_to_string(&times).unwrap_or_default();
        Ok(Run {
            status,
            elapsed: outcome.elapsed.as_secs_f64(),
            processor: children(&text).filter(|_| status == 0),
            output: format!("{}{}", outcome.stdout, outcome.stderr),
        })
    }
}

fn clock(folder: &Path) -> Result<PathBuf, String> {
    let library = folder.join("processor_clock.so");
    let mut compile = Command::new("g++");
    compile.args(["-std=c++17", "-O2", "-shared", "-fPIC"]).arg(root().join(CLOCK));
    process::output(compile.arg("-o").arg(&library))?;
    Ok(library)
}

/// Returns the processor time of the children in the output of the shell's `times`.
fn children(text: &str) -> Option<f64> {
    let seconds = |word: &str| {
        let (minutes, seconds) = word.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    text.lines().nth(1)?.split_whitespace().map(seconds).sum()
}

/// Returns the last processor that this process may use.
fn processor() -> Result<usize, String> {
    let text = std::fs::read_to_string("/proc/self/status")
        .map_err(|e| format!("cannot read /proc/self/status: {e}"))?;
    let list = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let last = list.and_then(|list| list.trim().rsplit([',', '-']).next()?.parse().ok());
    last.ok_or_else(|| "/proc/self/status lists no processor".to_owned())
}

/// Returns the lines that describe the machine.
fn machine() -> Result<String, String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| line.split_once(':')).map_or("", |(_, name)| name.trim());
    let compiler = process::output(Command::new("g++").arg("--version"))?;
    let compiler = compiler.lines().next().unwrap_or_default();
    Ok(format!("== machine\n| {model}\n| {compiler}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_tells_the_time_of_its_children() {
        assert_eq!(children("0m0.00s 0m0.01s\n1m1.50s 0m0.25s\n"), Some(61.75));
        assert_eq!(children("0m0.000000s 0m0.0s\n0m1.5s 0m0.25s\n"), Some(1.75));
        assert_eq!(children(""), None);
        assert_eq!(children("a\nb c\n"), None);
    }

    #[test]
    fn the_clock_of_programs_is_exact() {
        const SOURCE: &str = r#"
            #include <chrono>
            int main() {
              for (int n = 0; n < 20; ++n) {
                auto start = std::chrono::steady_clock::now();
                for (volatile int i = 0; i < 100000; ++i);
                if (std::chrono::steady_clock::now() == start) return 1;
              }
            }"#;
        let scratch = process::Scratch::new("clock").unwrap();
        let (source, program) = (scratch.path().join("a.cpp"), scratch.path().join("a"));
        std::fs::write(&source, SOURCE).unwrap();
        process::output(Command::new("g++").arg(&source).arg("-o").arg(&program)).unwrap();
        let mut run = Command::new("prlimit");
        run.arg(cpu_limit(Duration::from_secs(20))).arg(&program);
        run.env("LD_PRELOAD", clock(scratch.path()).unwrap());
        assert!(run.status().unwrap().success(), "the clock stands still between ticks");
    }

    #[test]
    fn a_processor_is_found() {
        assert!(processor().is_ok());
    }
}
