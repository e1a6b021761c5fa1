//! Runs one file test: writes its files, then runs its commands, in an empty temporary folder.
//!
//! All commands run in one `bash`, which stops at the first failing command. The folder and
//! everything in it, including temporary files, is removed at the end.

use crate::parse::{FileTest, Malformed, NewFile};
use crate::programs;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The time limit of a file test, in seconds.
const LIMIT: &str = "300";

/// The environment of a suite's commands.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Folders of programs, which precede LLVM's folder and those of `PATH`.
    pub path: Vec<PathBuf>,
    /// Variables: `$NAME` in commands and `[[NAME]]` in checks.
    pub variables: Vec<(String, String)>,
}

/// The reason why a file test failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{}: {error}", file.display())]
    Unreadable { file: PathBuf, error: std::io::Error },
    #[error("{}: {malformed}", file.display())]
    Malformed { file: PathBuf, malformed: Malformed },
    #[error("the test cannot be run: {0}")]
    Machine(#[from] std::io::Error),
    #[error("{}:{line}: {end}\n  {command}\n{output}", file.display())]
    Command { file: PathBuf, line: usize, command: String, end: String, output: String },
}

impl Environment {
    /// Runs a file test. `FileCheck` must be in one of the folders of programs.
    pub fn run(&self, file: &Path) -> Result<(), Failure> {
        let unreadable = |error| Failure::Unreadable { file: file.into(), error };
        let file = file.canonicalize().map_err(unreadable)?;
        let text = std::fs::read_to_string(&file).map_err(unreadable)?;
        let test = FileTest::parse(&text)
            .map_err(|malformed| Failure::Malformed { file: file.clone(), malformed })?;
        let scratch = tempfile::tempdir()?;
        let root = scratch.path().canonicalize()?;
        let (here, temporary, report) = (root.join("here"), root.join("tmp"), root.join("report"));
        std::fs::create_dir(&here)?;
        std::fs::create_dir(&temporary)?;
        for NewFile { name, text } in &test.files {
            let path = here.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(&here))?;
            std::fs::write(path, text)?;
        }
        let mut variables = self.variables.clone();
        variables.push(("TMPDIR".into(), temporary.display().to_string()));
        let options = check_options(&file, &variables);
        let output = Command::new("timeout")
            .args([LIMIT, "bash", "-c", &script(&test, &file, &report)])
            .current_dir(&here)
            .env("PATH", self.search_path())
            .envs(variables)
            .env("FILECHECK_OPTS", options)
            .stdin(Stdio::null())
            .output()?;
        if output.status.success() {
            return Ok(());
        }
        let (line, end) = ended(&report, &output);
        let run = test.runs.iter().rev().find(|run| run.line <= line).unwrap_or(&test.runs[0]);
        Err(Failure::Command {
            file,
            line: run.line,
            command: run.command.clone(),
            end,
            output: shown(&output),
        })
    }

    fn search_path(&self) -> OsString {
        let old = std::env::var_os("PATH").unwrap_or_default();
        let folders = self
            .path
            .iter()
            .cloned()
            .chain([programs::llvm_folder()])
            .chain(std::env::split_paths(&old));
        std::env::join_paths(folders).unwrap_or(old)
    }
}

/// Returns options for every `FileCheck`, which reads them from its environment variable.
fn check_options(file: &Path, variables: &[(String, String)]) -> String {
    let mut options = "--color=0 --dump-input=fail".to_owned();
    let own = ("FILE".to_owned(), file.display().to_string());
    for (name, value) in variables.iter().chain([&own]) {
        let _ = write!(options, " -D{name}=");
        for c in value.chars() {
            options.extend((c.is_whitespace() || matches!(c, '\\' | '\'' | '"')).then_some('\\'));
            options.push(c);
        }
    }
    options
}

/// Returns the commands with their lines as a script. The script writes the exit status and the
/// line of the last command to `report`.
fn script(test: &FileTest, file: &Path, report: &Path) -> String {
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let folder = file.parent().unwrap_or(file);
    let mut text = format!("set -e -o pipefail\nreport={}\n", quoted(report));
    text += "trap 'echo \"$? $line\" > \"$report\"' EXIT\n";
    for run in &test.runs {
        let command = run.command.replace("%s", &quoted(file)).replace("%S", &quoted(folder));
        let _ = writeln!(text, "line={}\n{command}", run.line);
    }
    text
}

/// Returns the line of the command that ended a test, and a description of its end.
fn ended(report: &Path, output: &Output) -> (usize, String) {
    let text = std::fs::read_to_string(report).unwrap_or_default();
    match text.trim().split_once(' ').and_then(|(status, line)| Some((status, line.parse().ok()?)))
    {
        Some((status, line)) => (line, format!("the command failed with status {status}")),
        None if output.status.code() == Some(124) => {
            (1, format!("the test did not end within {LIMIT} s"))
        }
        None => (1, format!("the shell ended with {}", output.status)),
    }
}

fn shown(output: &Output) -> String {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{err}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it's a.test");
        std::fs::write(&file, text).unwrap();
        let bin = folder.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        let check = programs::llvm("FileCheck").expect("FileCheck is installed");
        std::os::unix::fs::symlink(check, bin.join("FileCheck")).unwrap();
        let variables = vec![("COLOUR".to_owned(), "dark red".to_owned())];
        Environment { path: vec![bin], variables }.run(&file).map_err(|failure| failure.to_string())
    }

    #[test]
    fn commands_see_their_files_and_variables() {
        let text = "FILE: sub/a := one\nRUN: cat sub/a | FileCheck %s\n\
                    RUN: echo $COLOUR %s | FileCheck --check-prefix=VAR %s\n\
                    RUN: test -d $TMPDIR && test -d %S\nCHECK: one\nVAR: [[COLOUR]] [[FILE]]\n";
        assert_eq!(run(text), Ok(()));
    }

    #[test]
    fn a_failing_check_names_file_line_and_status() {
        let failure =
            run("RUN: true\nRUN: echo two | FileCheck %s\nRUN: touch /nowhere/x\nCHECK: three\n")
                .unwrap_err();
        assert!(failure.contains("it's a.test:2: the command failed with status 1\n"), "{failure}");
        assert!(failure.contains("  echo two | FileCheck %s\n"), "{failure}");
        assert!(
            failure.contains("a.test:4:8: error: CHECK: expected string not found"),
            "{failure}"
        );
    }

    #[test]
    fn a_failing_command_fails_the_test_in_a_pipeline_too() {
        let failure = run("RUN: (echo one; exit 7) | FileCheck %s\nCHECK: one\n").unwrap_err();
        assert!(failure.contains("a.test:1: the command failed with status 7"), "{failure}");
    }

    #[test]
    fn a_malformed_file_does_not_run() {
        let failure = run("RUN: touch /nowhere | FileCheck %s\nCHEKC: one\n").unwrap_err();
        assert!(failure.contains("a.test: line 2: unknown directive 'CHEKC:'"), "{failure}");
    }
}
