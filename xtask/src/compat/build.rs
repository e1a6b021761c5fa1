//! Builds and runs programs in a folder of links to the files of the suite.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::Device;
use super::outcome::{Run, Verdict};
use crate::cuda;
use crate::process::{self, CACHE, capture};

const BUILD_LIMIT: Duration = Duration::from_secs(900);
/// The longest processor time that a program may take. Unlike the elapsed time, it does not depend
/// on the number of processors and on other programs.
pub const RUN_LIMIT: Duration = Duration::from_secs(60);
/// The longest elapsed time of a run, for programs that wait without using a processor.
const WAIT_LIMIT: Duration = Duration::from_secs(600);
/// The text of make for a program that exceeded its processor time.
const TIME_EXCEEDED: &str = "CPU time limit exceeded";
/// The folders of Debian's libraries, for the variables of Makefiles that name other folders.
const LIBRARIES: [&str; 6] = [
    "GCC_TOOLCHAIN=",
    "MPI_ROOT=/usr/lib/x86_64-linux-gnu/openmpi",
    "MPI_INCLUDE=/usr/lib/x86_64-linux-gnu/openmpi/include",
    "MPI_LIB_DIR=/usr/lib/x86_64-linux-gnu/openmpi/lib",
    "GSL_INC=",
    "GSL_LIB=-lgsl -lgslcblas",
];
const MPI_INCLUDE: &str = "/usr/lib/x86_64-linux-gnu/openmpi/include";
/// Settings of Open MPI: root may run programs, and there may be more ranks than processors.
const OPEN_MPI: [(&str, &str); 4] = [
    ("OMPI_CXX", "scythe"),
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
];
/// The names that make looks for.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// The length of a reason in the results.
const MAX_REASON: usize = 200;

/// A copy of the suite's folder `src` in which programs are built for one device.
pub struct Tree {
    source: PathBuf,
    device: Device,
    prefix: PathBuf,
    /// The folder of oneDPL's headers.
    headers: PathBuf,
    cache: PathBuf,
    /// CUDA, whose `ptxas` compiles for NVIDIA GPUs.
    cuda: PathBuf,
}

impl Tree {
    /// Opens the folder of links below `folder`. Creates it if it does not exist.
    pub fn open(
        suite: &Path,
        folder: &Path,
        device: Device,
        prefix: &Path,
        headers: &Path,
    ) -> Result<Tree, String> {
        let tree = Tree {
            source: folder.join(device.name()),
            device,
            prefix: prefix.to_owned(),
            headers: headers.to_owned(),
            cache: folder.join("cache"),
            cuda: cuda::toolkit()?,
        };
        if !tree.source.exists() {
            tree.link(suite)?;
        }
        Ok(tree)
    }

    /// Fills the folder of links. An interrupted call leaves no folder of that name behind.
    fn link(&self, suite: &Path) -> Result<(), String> {
        let part = self.source.with_extension("part");
        let fail = |e: std::io::Error| format!("cannot create {}: {e}", self.source.display());
        if part.exists() {
            std::fs::remove_dir_all(&part).map_err(fail)?;
        }
        std::fs::create_dir_all(&part).map_err(fail)?;
        let suite = suite.join("src");
        let suite = suite.canonicalize().map_err(|e| format!("{}: {e}", suite.display()))?;
        let mut copy = Command::new("cp");
        process::output(copy.args(["-r", "--symbolic-link"]).arg(suite.join(".")).arg(&part))?;
        std::fs::rename(&part, &self.source).map_err(fail)
    }

    /// Makes the folder of a program new, without files of earlier builds.
    fn renew(&self, suite: &Path, name: &str) -> Result<(), String> {
        let folder = self.folder(name);
        let fail = |e: std::io::Error| format!("cannot create {}: {e}", folder.display());
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(fail)?;
        }
        let program = suite.join("src").join(format!("{name}-sycl"));
        let program = program.canonicalize().map_err(|e| format!("{}: {e}", program.display()))?;
        let mut copy = Command::new("cp");
        process::output(copy.args(["-r", "--symbolic-link"]).arg(program).arg(&folder))?;
        remove_built(&folder).map_err(fail)
    }

    pub fn folder(&self, name: &str) -> PathBuf {
        self.source.join(format!("{name}-sycl"))
    }

    /// Returns the text of a program's Makefile, which is empty if there is none.
    fn makefile(&self, name: &str) -> String {
        let files = MAKEFILES.iter().map(|file| self.folder(name).join(file));
        let text = files.filter_map(|file| std::fs::read(file).ok()).next();
        String::from_utf8_lossy(&text.unwrap_or_default()).into_owned()
    }

    /// Returns a call of make in the folder of a program, which finds `scythe` in the path. `limit`
    /// is the processor time of each process that make starts.
    pub fn make(&self, name: &str, limit: Option<Duration>) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let bin = self.prefix.join("bin");
        let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&path)));
        let mut command = match limit {
            Some(limit) => {
                let mut command = Command::new("prlimit");
                command.args([cpu_limit(limit).as_str(), "--core=0", "make"]);
                command
            }
            None => Command::new("make"),
        };
        command.arg("-C").arg(self.folder(name)).args(compiler(&self.makefile(name)));
        command.args(self.device.variables()).args(LIBRARIES).envs(OPEN_MPI);
        command.env("PATH", path.unwrap_or_default());
        let include = format!("{}:{MPI_INCLUDE}", self.headers.display());
        command.env("CPLUS_INCLUDE_PATH", include).env("C_INCLUDE_PATH", MPI_INCLUDE);
        command.env(CACHE, &self.cache);
        command.env("ONEAPI_DEVICE_SELECTOR", "native_cpu:*").env("CUDA_PATH", &self.cuda);
        command
    }
}

/// Removes the links to objects and programs that someone has built in the suite itself, for
/// another device. make would use them.
fn remove_built(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_built(&path)?;
            continue;
        }
        let mut magic = [0; 4];
        // Files that the suite keeps in another storage are missing.
        let Ok(mut file) = std::fs::File::open(&path) else { continue };
        if file.read_exact(&mut magic).is_ok() && magic == *b"\x7fELF" {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Returns the option of `prlimit` for a processor time. The kernel sends SIGXCPU at the first
/// number, which make reports, and SIGKILL at the second.
pub fn cpu_limit(limit: Duration) -> String {
    format!("--cpu={}:{}", limit.as_secs(), limit.as_secs() + 5)
}

/// Returns the variables that select the compiler. Most Makefiles use `CC`. A Makefile for a
/// wrapper of MPI gets Open MPI's wrapper, which calls `scythe`. A Makefile with a launcher of MPI
/// gets Open MPI's launcher.
fn compiler(makefile: &str) -> Vec<&'static str> {
    let value = |name: &str| {
        let mut values = makefile.lines().filter_map(|line| {
            let (left, right) = line.split_once('=')?;
            (left.trim_end_matches([':', '?', ' ', '\t']) == name).then_some(right.trim())
        });
        values.next_back().unwrap_or_default()
    };
    let wrapper = if value("CC").starts_with("mpi") { "CC=mpicxx" } else { "CC=scythe" };
    let launched = value("LAUNCHER").contains("mpirun");
    let mut variables = vec![wrapper, "CXX=scythe", "C_COMPILER=scythe", "CXX_COMPILER=scythe"];
    variables.extend(launched.then_some("LAUNCHER=mpirun -n 2"));
    variables
}

/// Builds programs, `jobs` at a time, and passes each result to `done`.
pub fn all(
    tree: &Tree,
    suite: &Path,
    names: &[String],
    jobs: usize,
    done: impl Fn(&str, Result<(), String>) -> Result<(), String> + Sync,
) -> Result<(), String> {
    each(names, jobs, |number, name| {
        tree.renew(suite, name)?;
        let built = build(tree, name)?;
        let mark = if built.is_ok() { "built " } else { "FAILED" };
        eprintln!("    {mark} {name} ({number} of {})", names.len());
        done(name, built)
    })
}

/// Calls `act` with the number and the name of each program, `jobs` at a time. The first error ends
/// the calls.
pub fn each(
    names: &[String],
    jobs: usize,
    act: impl Fn(usize, &str) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(names.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(name) = names.get(number) else { return };
                    if let Err(message) = act(number + 1, name) {
                        next.store(names.len(), Ordering::Relaxed);
                        failure.lock().expect("no thread panics").replace(message);
                    }
                }
            });
        }
    });
    failure.into_inner().expect("no thread panics").map_or(Ok(()), Err)
}

/// Builds a program. The inner result is the program's own.
fn build(tree: &Tree, name: &str) -> Result<Result<(), String>, String> {
    if tree.makefile(name).is_empty() {
        return Ok(Err("the suite has no Makefile for it".to_owned()));
    }
    let outcome = capture(&mut tree.make(name, None), BUILD_LIMIT)?;
    if outcome.success() {
        return Ok(Ok(()));
    }
    if let Some(why) = outcome.stopped {
        return Ok(Err(why));
    }
    let text = format!("{}{}", outcome.stderr, outcome.stdout);
    Ok(Err(reason(first_error(&text), &tree.source)))
}

/// Runs a program on the CPU with the arguments of its Makefile, after building it if it is not
/// there. Returns `None` if the program took longer than `limit` and `limit` is shorter than the
/// longest time.
pub fn execute(tree: &Tree, name: &str, limit: Duration) -> Result<Option<Run>, String> {
    if let Err(reason) = build(tree, name)? {
        return Ok(Some(Run { verdict: Verdict::Failed, reason }));
    }
    let outcome = capture(tree.make(name, Some(limit)).arg("run"), WAIT_LIMIT)?;
    if outcome.timed_out || outcome.stderr.contains(TIME_EXCEEDED) {
        let slow = Run { verdict: Verdict::Slow, reason: String::new() };
        return Ok(Some(slow).filter(|_| limit >= RUN_LIMIT));
    }
    let text = format!("{}\n{}", outcome.stdout, outcome.stderr);
    let (verdict, line) = match judge(&text) {
        _ if !outcome.success() => (Verdict::Failed, last_error(&text)),
        verdict => verdict,
    };
    Ok(Some(Run { verdict, reason: reason(line, &tree.source) }))
}

/// Returns the verdict of a program that ended without an error, and the line that explains a
/// failure.
pub fn judge(text: &str) -> (Verdict, &str) {
    let found = |words: &[&str]| {
        let is_word = |line: &str, word: &str| {
            line.split(|c: char| !c.is_ascii_alphabetic()).any(|w| w.eq_ignore_ascii_case(word))
        };
        text.lines().find(|line| words.iter().any(|word| is_word(line, word)))
    };
    match found(&["fail", "failed", "failure", "mismatch", "incorrect"]) {
        Some(line) => (Verdict::Failed, line),
        None if found(&["pass", "passed", "success", "ok", "correct"]).is_some() => {
            (Verdict::Passed, "")
        }
        None => (Verdict::Ended, ""),
    }
}

/// Returns the first line of a compiler's or linker's output that reports an error.
fn first_error(text: &str) -> &str {
    let error = |line: &&str| line.contains("error:") || line.contains("undefined reference");
    let make = |line: &&str| line.starts_with("make") || line.contains("***");
    text.lines().find(error).or_else(|| text.lines().find(make)).unwrap_or("make failed")
}

/// Returns the line that explains why a program failed.
pub fn last_error(text: &str) -> &str {
    let words = ["terminate", "what()", "error", "Error", "Cannot", "cannot", "No such"];
    let explains =
        |line: &&str| !line.starts_with("make") && words.iter().any(|word| line.contains(word));
    let own = |line: &&str| !line.starts_with("make") && !line.trim().is_empty();
    let lines = || text.lines().rev();
    lines().find(explains).or_else(|| lines().find(own)).unwrap_or("no output")
}

/// Returns a line without the names of folders of this machine, and of limited length.
fn reason(line: &str, source: &Path) -> String {
    let text = line.trim().replace(&format!("{}/", source.display()), "");
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match text.char_indices().nth(MAX_REASON) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_with_the_error_is_the_reason() {
        let text = "a.cpp:1: warning: x\na.cpp:2: error: y\nmake: *** [a.o] Error 1\n";
        assert_eq!(first_error(text), "a.cpp:2: error: y");
        assert_eq!(first_error("make: *** No rule\n"), "make: *** No rule");
        assert_eq!(
            last_error("x\nterminate called\n  what(): no file\nmake: *** 1"),
            "  what(): no file"
        );
        assert_eq!(last_error("usage: a N\nmake: *** 1"), "usage: a N");
    }

    #[test]
    fn files_that_are_built_in_the_suite_are_not_used() {
        let scratch = crate::process::Scratch::new("built").unwrap();
        let file = |name: &str| scratch.path().join(name);
        std::fs::create_dir(file("util")).unwrap();
        let program = b"\x7fELF\x02\x01";
        std::fs::write(file("original"), program).unwrap();
        std::os::unix::fs::symlink(file("original"), file("util/main.o")).unwrap();
        std::fs::write(file("util/main.cpp"), "int main() {}").unwrap();
        remove_built(&file("util")).unwrap();
        assert!(!file("util/main.o").exists() && file("util/main.cpp").exists());
        assert!(file("original").exists());
    }

    #[test]
    fn makefiles_for_mpi_get_its_wrapper_and_launcher() {
        let (plain, launcher) = ("CC=scythe", Some(&"LAUNCHER=mpirun -n 2"));
        assert_eq!(compiler("CC = clang++\nLAUNCHER =\n")[0], plain);
        assert_eq!(compiler("CC        = mpiicpc\n")[0], "CC=mpicxx");
        let text = "#LAUNCHER = x\nCC:=clang++\nLAUNCHER ?= /opt/bin/mpirun -n 1\n";
        assert_eq!((compiler(text)[0], compiler(text).last()), (plain, launcher));
        assert_eq!(compiler("")[0], plain);
        assert_ne!(compiler("").last(), launcher);
    }

    #[test]
    fn reasons_are_short_and_name_no_folder() {
        assert_eq!(
            reason(" /t/cpu/a-sycl/x.h:1: error", Path::new("/t/cpu")),
            "a-sycl/x.h:1: error"
        );
        assert_eq!(reason(&"x".repeat(500), Path::new("/")).chars().count(), MAX_REASON + 1);
    }
}
