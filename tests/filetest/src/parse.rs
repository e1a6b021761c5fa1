//! The types of a file test. [`FileTest::parse`] rejects every directive that could never fail.

use crate::directive::{Directive, directives, without_marker};
use scythe_diag::Severity;
use std::collections::BTreeSet;

/// The suffixes that `FileCheck` supports, without `-COUNT-` and its number.
const SUFFIXES: [&str; 6] = ["-NEXT", "-SAME", "-NOT", "-DAG", "-LABEL", "-EMPTY"];
/// The tool that compares diagnostics.
pub(crate) const CHECK_DIAGNOSTICS: &str = "check-diagnostics";

/// A file test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTest {
    pub files: Vec<NewFile>,
    pub runs: Vec<Run>,
    pub checks: Vec<Check>,
    pub diagnostics: Vec<ExpectedDiagnostic>,
}

/// A `RUN:` directive: a shell command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub line: usize,
    pub command: String,
}

/// A `FILE:` directive: a file that exists before the first command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    pub name: String,
    pub text: String,
}

/// A line for `FileCheck`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub line: usize,
    pub prefix: String,
}

/// A diagnostic that is expected for a line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedDiagnostic {
    pub line: usize,
    pub severity: Severity,
    /// A part of the message.
    pub message: String,
}

/// Why a text is no file test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {defect}")]
pub struct Malformed {
    pub line: usize,
    pub defect: Defect,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Defect {
    #[error(
        "unknown directive '{0}:'; docs/file-tests.md lists the directives, and no RUN: line names \
         '{0}' as a prefix"
    )]
    Unknown(String),
    #[error("'{0}' is not a directive; write '{1}:'")]
    Misspelt(String, String),
    #[error("'{0}:' has no value")]
    Empty(String),
    #[error("'RUN:' ends with a backslash, but the next line does not continue it")]
    Unfinished,
    #[error("the file has no 'RUN:' line")]
    NoRun,
    #[error("the file has no check: nothing in it could fail")]
    NoCheck,
    #[error("FileCheck looks for '{0}:', but no line has this prefix")]
    NoSuchPrefix(String),
    #[error("no RUN: line runs '{CHECK_DIAGNOSTICS}', which would read '{0}:'")]
    Unread(String),
    #[error(
        "'{CHECK_DIAGNOSTICS}' has nothing to compare; write 'NO-DIAGNOSTICS:' if the file must \
         get none"
    )]
    NoDiagnostics,
    #[error("'NO-DIAGNOSTICS:' contradicts the expected diagnostic")]
    Contradiction,
    #[error("'{key}:' has the value '{value}'; expected one of: {expected}")]
    Value { key: String, value: String, expected: String },
    #[error("'{0}:' stands twice")]
    Twice(String),
    #[error("'{0}:' must stand in the comments at the head of the file")]
    Late(String),
}

/// The severities that directives can expect. Remarks are not compared.
pub(crate) const EXPECTED_SEVERITIES: [Severity; 3] =
    [Severity::Error, Severity::Warning, Severity::Note];

/// Returns the key of the directive that expects this severity: `ERROR`.
pub(crate) fn severity_key(severity: Severity) -> String {
    severity.to_string().to_ascii_uppercase()
}

/// Returns the severity that the directive with this key expects.
pub(crate) fn expected_severity(key: &str) -> Option<Severity> {
    EXPECTED_SEVERITIES.into_iter().find(|severity| severity_key(*severity) == key)
}

impl FileTest {
    pub fn parse(text: &str) -> Result<FileTest, Malformed> {
        let all: Vec<Directive<'_>> = directives(text).collect();
        let runs = runs(&all)?;
        let prefixes: BTreeSet<String> =
            runs.iter().flat_map(|run| prefixes(&run.command)).collect();
        let mut test =
            FileTest { files: Vec::new(), runs, checks: Vec::new(), diagnostics: Vec::new() };
        let mut silent = None;
        for directive in &all {
            let (line, key, value) = (directive.line, directive.key, directive.value);
            let wrong = |defect| Err(Malformed { line, defect });
            if let Some(prefix) = prefixes.iter().find(|prefix| is_check(key, prefix)) {
                test.checks.push(Check { line, prefix: prefix.clone() });
            } else if value.is_empty() && key != "NO-DIAGNOSTICS" {
                return wrong(Defect::Empty(key.into()));
            } else if let Some(severity) = expected_severity(key) {
                test.diagnostics.push(ExpectedDiagnostic { line, severity, message: value.into() });
            } else {
                match key {
                    "RUN" => {}
                    "FILE" => test.add_file(value),
                    "NO-DIAGNOSTICS" => silent = Some(line),
                    _ => return wrong(Defect::Unknown(key.into())),
                }
            }
        }
        test.reject_misspelt(text, &prefixes)?;
        test.reject_idle(&prefixes, silent)?;
        Ok(test)
    }

    /// Adds a file: `name`, or `name := one line of its text`.
    fn add_file(&mut self, value: &str) {
        let (name, text) =
            value.split_once(" := ").map_or((value, None), |(name, text)| (name, Some(text)));
        let index = self.files.iter().position(|file| file.name == name).unwrap_or_else(|| {
            self.files.push(NewFile { name: name.into(), text: String::new() });
            self.files.len() - 1
        });
        if let Some(text) = text {
            self.files[index].text += &format!("{text}\n");
        }
    }

    /// Rejects comments that begin with the name of a directive but are not directives.
    fn reject_misspelt(&self, text: &str, prefixes: &BTreeSet<String>) -> Result<(), Malformed> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let known = |word: &str| {
            ["RUN", "FILE", "NO-DIAGNOSTICS"].contains(&word)
                || prefixes.iter().any(|p| is_check(word, p))
        };
        for (index, line) in text.lines().enumerate() {
            let comment = without_marker(line);
            let word = &comment[..comment.find(|c| !is_word(c)).unwrap_or(comment.len())];
            let colon = comment[word.len()..].trim_start().starts_with(':');
            let upper = word.to_ascii_uppercase().replace('_', "-");
            let right = colon && comment[word.len()..].starts_with(':') && word == upper;
            if !right && known(&upper) && (colon || (word == upper && comment.len() < line.len())) {
                let defect =
                    Defect::Misspelt(comment[..word.len() + usize::from(colon)].into(), upper);
                return Err(Malformed { line: index + 1, defect });
            }
        }
        Ok(())
    }

    /// Rejects expectations that nothing reads, and readers without expectations.
    fn reject_idle(
        &self,
        prefixes: &BTreeSet<String>,
        silent: Option<usize>,
    ) -> Result<(), Malformed> {
        let at = |line, defect| Err(Malformed { line, defect });
        let Some(first) = self.runs.first() else { return at(1, Defect::NoRun) };
        if let Some(prefix) =
            prefixes.iter().find(|p| !self.checks.iter().any(|check| check.prefix == **p))
        {
            return at(first.line, Defect::NoSuchPrefix(prefix.clone()));
        }
        let reader = self
            .runs
            .iter()
            .find(|run| run.command.split_whitespace().any(|w| w == CHECK_DIAGNOSTICS));
        match (reader, self.diagnostics.first(), silent) {
            (None, Some(expected), _) => {
                at(expected.line, Defect::Unread(severity_key(expected.severity)))
            }
            (None, None, Some(line)) => at(line, Defect::Unread("NO-DIAGNOSTICS".into())),
            (Some(run), None, None) => at(run.line, Defect::NoDiagnostics),
            (Some(_), Some(expected), Some(_)) => at(expected.line, Defect::Contradiction),
            (None, None, None) if self.checks.is_empty() => at(first.line, Defect::NoCheck),
            _ => Ok(()),
        }
    }
}

/// Returns the commands. A backslash at the end of a line joins it with the next line.
fn runs(all: &[Directive<'_>]) -> Result<Vec<Run>, Malformed> {
    let mut runs: Vec<Run> = Vec::new();
    let mut open: Option<usize> = None;
    for directive in all {
        let unfinished = |line| Malformed { line, defect: Defect::Unfinished };
        match open {
            Some(last) if directive.key != "RUN" || directive.line != last + 1 => {
                return Err(unfinished(last));
            }
            _ if directive.key != "RUN" => continue,
            _ => {}
        }
        let (value, more) = match directive.value.strip_suffix('\\') {
            Some(value) => (value.trim_end(), true),
            None => (directive.value, false),
        };
        match (open, runs.last_mut()) {
            (Some(_), Some(run)) => run.command += &format!(" {value}"),
            _ => runs.push(Run { line: directive.line, command: value.into() }),
        }
        open = more.then_some(directive.line);
    }
    match open {
        Some(line) => Err(Malformed { line, defect: Defect::Unfinished }),
        None => Ok(runs),
    }
}

/// Returns the prefixes that the `FileCheck` commands of a line look for.
fn prefixes(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = command.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if word != "FileCheck" {
            continue;
        }
        let before = found.len();
        while let Some(word) = words.next_if(|word| !["|", ";", "&&", "||"].contains(word)) {
            let option = word.trim_start_matches('-');
            let list = option
                .strip_prefix("check-prefix=")
                .or_else(|| option.strip_prefix("check-prefixes="));
            found.extend(list.into_iter().flat_map(|list| list.split(',')).map(str::to_owned));
        }
        if found.len() == before {
            found.push("CHECK".into());
        }
    }
    found
}

/// Returns whether `key` is this prefix, optionally with a suffix that `FileCheck` supports.
fn is_check(key: &str, prefix: &str) -> bool {
    let Some(suffix) = key.strip_prefix(prefix) else { return false };
    let counts = |n: &str| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit());
    suffix.is_empty()
        || SUFFIXES.contains(&suffix)
        || suffix.strip_prefix("-COUNT-").is_some_and(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defect(text: &str) -> (usize, Defect) {
        let malformed = FileTest::parse(text).expect_err("it is malformed");
        (malformed.line, malformed.defect)
    }

    #[test]
    fn commands_files_and_checks_are_read() {
        let text = "; FILE: a := one\n; FILE: a := two\n; FILE: b\n\
                    ; RUN: tool \\\n; RUN:   %s | FileCheck %s\n\
                    ; RUN: FileCheck --check-prefixes=ONE,TWO %s < x\n\
                    ; CHECK-COUNT-2: x\n; ONE-NEXT: y\n; TWO: z\n";
        let test = FileTest::parse(text).unwrap();
        assert_eq!(test.files[0], NewFile { name: "a".into(), text: "one\ntwo\n".into() });
        assert_eq!(test.files[1], NewFile { name: "b".into(), text: String::new() });
        assert_eq!(test.runs[0], Run { line: 4, command: "tool %s | FileCheck %s".into() });
        assert_eq!(test.runs.len(), 2);
        assert_eq!(
            test.checks.iter().map(|c| c.prefix.as_str()).collect::<Vec<_>>(),
            ["CHECK", "ONE", "TWO"]
        );
    }

    #[test]
    fn unknown_and_misspelt_directives_are_errors() {
        let with = |line: &str| defect(&format!("; RUN: x | FileCheck %s\n; CHECK: y\n{line}\n"));
        for (line, key) in [
            ("; CHEKC: z", "CHEKC"),
            ("; CHECK-NETX: z", "CHECK-NETX"),
            ("; CHECK-COUNT: z", "CHECK-COUNT"),
            ("// OTHER: z", "OTHER"),
            ("; RUN-PASS: z", "RUN-PASS"),
        ] {
            assert_eq!(with(line), (3, Defect::Unknown(key.into())), "{line}");
        }
        for (line, seen, meant) in [
            ("; CHECK-NEXT z", "CHECK-NEXT", "CHECK-NEXT"),
            ("; CHECK : z", "CHECK:", "CHECK"),
            ("; CHECK_NEXT : z", "CHECK_NEXT:", "CHECK-NEXT"),
            ("; Check-Next: z", "Check-Next:", "CHECK-NEXT"),
            ("; run: z", "run:", "RUN"),
        ] {
            let (at, defect) = with(line);
            assert!(
                matches!(&defect, Defect::Misspelt(_, m) if m == meant) && at == 3,
                "{line} {seen}: {defect}"
            );
        }
        assert_eq!(with("; RUN:"), (3, Defect::Empty("RUN".into())));
    }

    #[test]
    fn what_cannot_fail_is_an_error() {
        assert_eq!(defect("text\n"), (1, Defect::NoRun));
        assert_eq!(defect("\nRUN: true\n"), (2, Defect::NoCheck));
        assert_eq!(defect("RUN: x | FileCheck %s\n"), (1, Defect::NoSuchPrefix("CHECK".into())));
        assert_eq!(defect("RUN: x\nCHECK: y\n"), (2, Defect::Unknown("CHECK".into())));
        assert_eq!(defect("RUN: x\nf(); // ERROR: y\n"), (2, Defect::Unread("ERROR".into())));
        assert_eq!(defect("RUN: check-diagnostics %s\n"), (1, Defect::NoDiagnostics));
        assert_eq!(
            defect("RUN: check-diagnostics %s\nNO-DIAGNOSTICS:\nf(); // NOTE: y\n"),
            (3, Defect::Contradiction)
        );
        assert_eq!(defect("RUN: x \\\nCHECK: y\n"), (1, Defect::Unfinished));
        assert_eq!(defect("RUN: x \\\n\nRUN: y\n"), (1, Defect::Unfinished));
    }

    #[test]
    fn diagnostics_stand_at_the_end_of_a_line() {
        let test =
            FileTest::parse("// RUN: check-diagnostics %s\nf(); // ERROR: a // NOTE: b\n").unwrap();
        let (error, note) = (&test.diagnostics[0], &test.diagnostics[1]);
        assert_eq!((error.line, error.severity, error.message.as_str()), (2, Severity::Error, "a"));
        assert_eq!((note.line, note.severity, note.message.as_str()), (2, Severity::Note, "b"));
        assert!(FileTest::parse("// RUN: check-diagnostics %s\n// NO-DIAGNOSTICS:\n").is_ok());
    }
}
