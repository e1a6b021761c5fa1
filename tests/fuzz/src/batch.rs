//! Compiles a program of many kernels in both modes, runs both, and compares what they print.
//!
//! A kernel that crashes or hangs takes its program with it: the program is started again behind that kernel.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::Kernel;
use crate::render;

/// How long a program may run without printing: many times what a kernel takes on a busy machine.
const SILENCE: Duration = Duration::from_secs(120);

/// Where the compiler is, and how the kernels of one program are compiled.
#[derive(Clone, Debug)]
pub struct Toolchain {
    pub prefix: PathBuf,
    /// For device code: `-O2`.
    pub level: String,
}

/// A kernel on which the modes disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub seed: u64,
    pub device: String,
    pub host: String,
}

/// Compiles and runs `kernels` in `folder`; an error is a compiler's.
pub fn compare(kernels: &[Kernel], tools: &Toolchain, folder: &Path) -> Result<Vec<Mismatch>, String> {
    let source = folder.join("kernels.cpp");
    std::fs::write(&source, render::program(kernels)).map_err(|e| format!("cannot write {}: {e}", source.display()))?;
    let (device, host) = (folder.join("device"), folder.join("host"));
    let (device_lines, host_lines) = std::thread::scope(|scope| {
        let on_device = scope.spawn(|| {
            compile(&mut device_compiler(tools), &source, &device)?;
            lines(&device, kernels, folder)
        });
        let on_host = scope.spawn(|| {
            compile(&mut host_compiler(tools), &source, &host)?;
            lines(&host, kernels, folder)
        });
        let joined = |t: std::thread::ScopedJoinHandle<'_, Result<Vec<String>, String>>| {
            t.join().unwrap_or_else(|_| Err("a thread of the comparison ended by a panic".to_owned()))
        };
        (joined(on_device), joined(on_host))
    });
    let pairs = device_lines?.into_iter().zip(host_lines?);
    let differing = kernels.iter().zip(pairs).filter(|(_, (device, host))| device != host || is_failure(host));
    Ok(differing.map(|(k, (device, host))| Mismatch { seed: k.seed, device, host }).collect())
}

fn device_compiler(tools: &Toolchain) -> Command {
    let mut command = Command::new(tools.prefix.join("bin/scythe"));
    // An image for each kernel: one that cannot be built does not take others with it, and the first prints early.
    command.args(["-fsycl", &tools.level, "-fsycl-device-code-split=per_kernel"]);
    command
}

fn host_compiler(tools: &Toolchain) -> Command {
    let lib = tools.prefix.join("lib");
    let mut command = Command::new("clang++-22");
    // Unoptimised: compiled in a third of the time, and the plainest reference.
    command.args(["-O0", "-I"]).arg(tools.prefix.join("include"));
    command.arg("-L").arg(&lib).arg("-lscythe").arg(format!("-Wl,-rpath,{}", lib.display()));
    command
}

fn compile(command: &mut Command, source: &Path, program: &Path) -> Result<(), String> {
    command.args(["-std=c++17", "-ffp-contract=off", "-w"]).arg(source).arg("-o").arg(program);
    let output = command
        .env_remove("LD_LIBRARY_PATH")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run {command:?}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed, {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// What is wrong with a line that should hold a number.
fn is_failure(line: &str) -> bool {
    line.contains(':')
}

/// What `program` prints for each kernel, without its seed; how it ended, for those that end it.
fn lines(program: &Path, kernels: &[Kernel], folder: &Path) -> Result<Vec<String>, String> {
    let mut all: Vec<String> = Vec::new();
    while all.len() < kernels.len() {
        let (printed, ending) = run(program, all.len(), folder)?;
        for line in printed.lines() {
            let seed = kernels.get(all.len()).map_or(0, |k| k.seed);
            match line.strip_prefix(&format!("{seed} ")) {
                Some(result) => all.push(result.to_owned()),
                None => return Err(format!("{} printed '{line}' instead of kernel {seed}", program.display())),
            }
        }
        if all.len() < kernels.len() {
            all.push(ending);
        }
    }
    Ok(all)
}

/// Runs from kernel number `first` on; returns what it printed, and how it ended.
fn run(program: &Path, first: usize, folder: &Path) -> Result<(String, String), String> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let path = folder.join(format!("{name}.out"));
    let fail = |e: std::io::Error| format!("cannot run {}: {e}", program.display());
    let file = std::fs::File::create(&path).map_err(fail)?;
    let errors = std::fs::File::create(folder.join(format!("{name}.err"))).map_err(fail)?;
    let mut command = Command::new(program);
    command.arg(first.to_string()).stdin(Stdio::null()).stdout(file).stderr(errors).env_remove("LD_LIBRARY_PATH");
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
        } else if since.elapsed() > SILENCE {
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
        None => format!("hangs: nothing printed for {} s", SILENCE.as_secs()),
    };
    Ok((printed[..whole].to_owned(), ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

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
        let kernels: Vec<Kernel> = (1..=4).map(generate::kernel).collect();
        lines(&program, &kernels, folder.path())
    }

    #[test]
    fn each_kernel_has_its_line() {
        assert_eq!(printed_by("for k in 1 2 3 4; do echo $k a$k; done").unwrap(), ["a1", "a2", "a3", "a4"]);
    }

    #[test]
    fn kernels_behind_one_that_crashes_run_all_the_same() {
        // The third kernel, number 2, crashes in the middle of its line.
        let script = "k=$1; while [ $k -lt 4 ]; do\n\
                      [ $k = 2 ] && { printf '3 a'; echo why >&2; kill -SEGV $$; }\n\
                      echo $((k + 1)) fine; k=$((k + 1)); done";
        let lines = printed_by(script).unwrap();
        assert_eq!([&lines[0], &lines[1], &lines[3]], ["fine"; 3]);
        assert!(lines[2].starts_with("ended: signal: 11") && lines[2].ends_with("why"), "{}", lines[2]);
        assert!(is_failure(&lines[2]) && !is_failure(&lines[0]));
    }

    #[test]
    fn a_line_for_another_kernel_is_an_error() {
        assert!(printed_by("echo 2 a2").unwrap_err().contains("printed '2 a2' instead of kernel 1"));
    }
}
