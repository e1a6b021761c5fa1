//! The stage `unit` of `cargo xtask test`: all tests of the workspace that cargo knows.
//!
//! Cargo runs test programs one after another, so that processors idle while the last test of each
//! program runs. This stage runs as many test programs at the same time as there are processors,
//! each with one thread.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cuda;
use crate::process::{CACHE, Outcome, Scratch, capture, output, parallel, shown};
use crate::workspace::cargo;

const LIMIT: Duration = Duration::from_secs(1800);
/// A test program that takes longer than this is listed with its time.
const SLOW: Duration = Duration::from_secs(30);

/// A program with tests.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    /// The package and the name of the target.
    name: String,
    executable: PathBuf,
    /// The folder of the package, in which its tests run.
    folder: PathBuf,
}

/// Runs all tests, or those whose names contain one of `filters`. An environment variable names the
/// staged tree for scenarios.
pub fn run(prefix: &Path, filters: &[String]) -> Result<String, String> {
    let mut build = cargo();
    build.args(["test", "--workspace", "--no-run", "--quiet", "--message-format=json"]);
    build.stderr(std::process::Stdio::inherit());
    let built = build.output().map_err(|e| format!("cannot run '{}': {e}", shown(&build)))?;
    if !built.status.success() {
        return Err(format!("'{}' failed, {}", shown(&build), built.status));
    }
    let mut programs = programs(&String::from_utf8_lossy(&built.stdout))?;
    // Scenarios take the longest time, so they start first.
    programs.sort_by_key(|program| !program.name.starts_with("scythe-tests"));
    let cache = Scratch::new("cache")?;
    let cuda = cuda::toolkit()?;
    let outcomes = parallel(&programs, |program| {
        let mut command = std::process::Command::new(&program.executable);
        command
            .arg("--test-threads=1")
            .args(filters)
            .current_dir(&program.folder)
            .env("CARGO_MANIFEST_DIR", &program.folder)
            .env("SCYTHE_PREFIX", prefix)
            .env(CACHE, cache.path().join("objects"))
            // The assembler for NVIDIA GPUs does not need a GPU in the machine.
            .env("CUDA_PATH", &cuda);
        let outcome = capture(&mut command, LIMIT);
        if let Ok(outcome) = &outcome
            && outcome.elapsed > SLOW
        {
            eprintln!("    {} took {:.0} s", program.name, outcome.elapsed.as_secs_f64());
        }
        outcome
    });
    let documents = output(cargo().args(["test", "--workspace", "--doc", "--quiet"]))?;
    let mut passed = count(&documents, "passed");
    let mut failures = Vec::new();
    for (program, outcome) in programs.iter().zip(outcomes) {
        let outcome: Outcome = outcome?;
        passed += count(&outcome.stdout, "passed");
        if !outcome.success() {
            failures.push(format!("{}: {}", program.name, outcome.describe()));
        }
    }
    match failures.is_empty() {
        true => Ok(format!("{passed} tests")),
        false => Err(format!(
            "{} of {} test programs failed, {passed} tests passed\n{}",
            failures.len(),
            programs.len(),
            failures.join("\n")
        )),
    }
}

/// Reads the test programs from cargo's messages.
fn programs(messages: &str) -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for line in messages.lines().filter(|line| line.starts_with('{')) {
        let message: serde_json::Value =
            serde_json::from_str(line).map_err(|e| format!("cargo's message is not JSON: {e}"))?;
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let (Some(executable), Some(manifest), Some(target)) = (
            text(&message["executable"]),
            text(&message["manifest_path"]),
            text(&message["target"]["name"]),
        ) else {
            continue;
        };
        if message["profile"]["test"] != true {
            continue;
        }
        let folder = Path::new(&manifest).parent().unwrap_or(Path::new(".")).to_owned();
        let package = message["package_id"].as_str().unwrap_or_default();
        let package = package.rsplit(['/', '#']).find(|part| !part.starts_with(char::is_numeric));
        let package = package.unwrap_or_default().split('@').next().unwrap_or_default();
        programs.push(Program {
            name: format!("{package} {target}"),
            executable: PathBuf::from(executable),
            folder,
        });
    }
    match programs.is_empty() {
        true => Err("cargo built no test program".to_owned()),
        false => Ok(programs),
    }
}

/// Returns the sum of the numbers before a word in the closing lines of test programs.
fn count(text: &str, word: &str) -> usize {
    let closing = text.lines().filter(|line| line.starts_with("test result:"));
    let numbers = closing.filter_map(|line| {
        let before = &line[..line.find(&format!(" {word}"))?];
        before.rsplit([' ', ';']).next()?.parse::<usize>().ok()
    });
    numbers.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_come_from_messages_about_tests() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","package_id":"path+file:///x/crates/abi#scythe-abi@0.1.0","#,
            r#""manifest_path":"/x/crates/abi/Cargo.toml","target":{"name":"scythe_abi"},"#,
            r#""profile":{"test":true},"executable":"/x/target/debug/deps/abi-1"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","package_id":"path+file:///x/tests#scythe-tests@0.1.0","#,
            r#""manifest_path":"/x/tests/Cargo.toml","target":{"name":"tool"},"#,
            r#""profile":{"test":false},"executable":"/x/target/debug/tool"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        let expected = Program {
            name: "scythe-abi scythe_abi".to_owned(),
            executable: PathBuf::from("/x/target/debug/deps/abi-1"),
            folder: PathBuf::from("/x/crates/abi"),
        };
        assert_eq!(programs(messages).unwrap(), [expected]);
        assert!(programs("").unwrap_err().contains("no test program"));
        assert!(programs("{").unwrap_err().contains("not JSON"));
    }

    #[test]
    fn closing_lines_are_counted() {
        let text = "test result: ok. 3 passed; 1 failed; 0 ignored\nx\ntest result: ok. 4 passed;";
        assert_eq!((count(text, "passed"), count(text, "failed")), (7, 1));
    }
}
