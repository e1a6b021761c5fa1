//! Builds and runs programs in a folder of links to the files of the suite.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::Device;
use super::outcome::{Run, Verdict};
use crate::process::{self, CACHE, capture};

const BUILD_LIMIT: Duration = Duration::from_secs(900);
const RUN_LIMIT: Duration = Duration::from_secs(60);
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
}

impl Tree {
    /// Creates the folder of links anew.
    pub fn create(
        suite: &Path,
        folder: &Path,
        device: Device,
        prefix: &Path,
        headers: &Path,
    ) -> Result<Tree, String> {
        let source = folder.join(device.name());
        let fail = |e: std::io::Error| format!("cannot create {}: {e}", source.display());
        if source.exists() {
            std::fs::remove_dir_all(&source).map_err(fail)?;
        }
        std::fs::create_dir_all(&source).map_err(fail)?;
        let suite = suite.join("src");
        let suite = suite.canonicalize().map_err(|e| format!("{}: {e}", suite.display()))?;
        let mut copy = Command::new("cp");
        process::output(copy.args(["-r", "--symbolic-link"]).arg(suite.join(".")).arg(&source))?;
        Ok(Tree {
            source,
            device,
            prefix: prefix.to_owned(),
            headers: headers.to_owned(),
            cache: folder.join("cache"),
        })
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.source.join(format!("{name}-sycl"))
    }

    /// Returns a call of make in the folder of a program, which finds `scythe` in the path.
    fn make(&self, name: &str) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let bin = self.prefix.join("bin");
        let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&path)));
        let mut command = Command::new("make");
        command.arg("-C").arg(self.folder(name)).arg("CC=scythe").args(self.device.variables());
        command.env("PATH", path.unwrap_or_default());
        command.env("CPLUS_INCLUDE_PATH", &self.headers).env(CACHE, &self.cache);
        command.env("ONEAPI_DEVICE_SELECTOR", "native_cpu:*");
        command
    }
}

/// Builds programs, `jobs` at a time, and passes each result to `done`.
pub fn all(
    tree: &Tree,
    names: &[String],
    jobs: usize,
    done: impl Fn(&str, Result<(), String>) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(names.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(name) = names.get(number) else { return };
                    let result = build(tree, name).and_then(|built| {
                        let mark = if built.is_ok() { "built " } else { "FAILED" };
                        eprintln!("    {mark} {name} ({} of {})", number + 1, names.len());
                        done(name, built)
                    });
                    if let Err(message) = result {
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
    let folder = tree.folder(name);
    let named = ["Makefile", "makefile", "GNUmakefile"];
    if !named.iter().any(|file| folder.join(file).exists()) {
        return Ok(Err("the suite has no Makefile for it".to_owned()));
    }
    let outcome = capture(&mut tree.make(name), BUILD_LIMIT)?;
    if outcome.success() {
        return Ok(Ok(()));
    }
    if let Some(why) = outcome.stopped {
        return Ok(Err(why));
    }
    let text = format!("{}{}", outcome.stderr, outcome.stdout);
    Ok(Err(reason(first_error(&text), &tree.source)))
}

/// Runs a program on the CPU with the arguments of its Makefile.
pub fn execute(tree: &Tree, name: &str) -> Result<Run, String> {
    let outcome = capture(tree.make(name).arg("run"), RUN_LIMIT)?;
    if outcome.timed_out {
        return Ok(Run { verdict: Verdict::Slow, reason: String::new() });
    }
    let text = format!("{}\n{}", outcome.stdout, outcome.stderr);
    let found = |words: &[&str]| {
        let is_word = |line: &str, word: &str| {
            line.split(|c: char| !c.is_ascii_alphabetic()).any(|w| w.eq_ignore_ascii_case(word))
        };
        text.lines().find(|line| words.iter().any(|word| is_word(line, word)))
    };
    let failed = found(&["fail", "failed", "failure", "mismatch", "incorrect"]);
    let (verdict, line) = match failed {
        _ if !outcome.success() => (Verdict::Failed, last_error(&text)),
        Some(line) => (Verdict::Failed, line),
        None if found(&["pass", "passed", "success", "ok", "correct"]).is_some() => {
            (Verdict::Passed, "")
        }
        None => (Verdict::Ended, ""),
    };
    Ok(Run { verdict, reason: reason(line, &tree.source) })
}

/// Returns the first line of a compiler's or linker's output that reports an error.
fn first_error(text: &str) -> &str {
    let error = |line: &&str| line.contains("error:") || line.contains("undefined reference");
    let make = |line: &&str| line.starts_with("make") || line.contains("***");
    text.lines().find(error).or_else(|| text.lines().find(make)).unwrap_or("make failed")
}

/// Returns the line that explains why a program failed.
fn last_error(text: &str) -> &str {
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
    fn reasons_are_short_and_name_no_folder() {
        assert_eq!(
            reason(" /t/cpu/a-sycl/x.h:1: error", Path::new("/t/cpu")),
            "a-sycl/x.h:1: error"
        );
        assert_eq!(reason(&"x".repeat(500), Path::new("/")).chars().count(), MAX_REASON + 1);
    }
}
