//! The results of a library's tests, and the file that keeps them.
//!
//! The first line of a file is `commit COMMIT`. Each other line has the fields `TEST`, `VERDICT`,
//! the numbers of passed and failed checks, and the first error, separated by ` | `.

use std::path::Path;

use crate::process;

/// The result of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    NotBuilt,
    NotRun,
}

impl Verdict {
    const ALL: [Verdict; 4] =
        [Verdict::Passed, Verdict::Failed, Verdict::NotBuilt, Verdict::NotRun];

    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::NotBuilt => "not built",
            Verdict::NotRun => "not run",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// Checks that passed and failed, by the program's own count. A program without a count is one
    /// check.
    pub passed: usize,
    pub failed: usize,
    pub error: String,
}

/// The length of an error in the results.
const MAX_ERROR: usize = 160;

impl Outcome {
    pub fn not_built(error: String) -> Outcome {
        Outcome { verdict: Verdict::NotBuilt, passed: 0, failed: 0, error }
    }

    pub fn not_run(reason: &str) -> Outcome {
        Outcome { verdict: Verdict::NotRun, passed: 0, failed: 0, error: reason.to_owned() }
    }

    /// Returns the result of a test that CTest started, from CTest's verbose output.
    pub fn of_ctest(ended: &process::Outcome) -> Outcome {
        if ended.stdout.contains("***Skipped") {
            return Outcome::not_run("the test skips itself");
        }
        let stdout = ended.stdout.lines().map(without_number).collect::<Vec<_>>().join("\n");
        let stopped = match stdout.contains("***Timeout") {
            true => Some("exceeded its time limit".to_owned()),
            false => ended.stopped.clone(),
        };
        let stderr = ended.stderr.clone();
        Outcome::of(&process::Outcome {
            stdout,
            stderr,
            stopped,
            status: ended.status,
            timed_out: ended.timed_out,
            elapsed: ended.elapsed,
        })
    }

    /// Returns the result of a program that ended.
    pub fn of(ended: &process::Outcome) -> Outcome {
        let text = without_colours(&format!("{}\n{}", ended.stdout, ended.stderr));
        let (passed, failed) = count(&text).unwrap_or((0, 0));
        if ended.success() && failed == 0 {
            let passed = passed.max(1);
            return Outcome { verdict: Verdict::Passed, passed, failed, error: String::new() };
        }
        let error = match &ended.stopped {
            Some(reason) => reason.clone(),
            None => last_error(&text).to_owned(),
        };
        Outcome { verdict: Verdict::Failed, passed, failed: failed.max(1), error }
    }

    pub fn summary(&self) -> String {
        let (verdict, passed, failed) = (self.verdict.name(), self.passed, self.failed);
        format!("{verdict} ({passed} passed, {failed} failed) {}", self.error)
    }

    /// Removes the names of folders of this machine from the error, and control characters.
    pub fn without_folders(mut self, folders: &[&Path]) -> Outcome {
        for folder in folders {
            self.error = self.error.replace(&format!("{}/", folder.display()), "");
        }
        self.error = self.error.replace(" | ", " / ").trim().to_owned();
        self.error = self.error.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if let Some((end, _)) = self.error.char_indices().nth(MAX_ERROR) {
            self.error.truncate(end);
            self.error.push('…');
        }
        self
    }
}

/// Removes the number of the test that CTest prints in front of each line of its output.
fn without_number(line: &str) -> &str {
    match line.split_once(": ") {
        Some((number, rest)) if number.parse::<usize>().is_ok() => rest,
        _ => line,
    }
}

/// Removes the escape sequences of a terminal.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// Returns the numbers of passed and failed checks that GoogleTest, Catch2 or a line
/// `N/M tests passed` reports.
fn count(text: &str) -> Option<(usize, usize)> {
    let number = |text: &str| text.trim().split(' ').next()?.parse::<usize>().ok();
    let after = |mark: &str| text.lines().rev().find_map(|line| line.trim().strip_prefix(mark));
    // GoogleTest lists skipped and failed tests after lines with their numbers.
    if let Some(passed) = after("[  PASSED  ]").and_then(number) {
        let mut failures = text.lines().filter(|line| line.contains("listed below"));
        let failed = failures.find_map(|line| line.trim().strip_prefix("[  FAILED  ]"));
        return Some((passed, failed.and_then(number).unwrap_or(0)));
    }
    if let Some(cases) = after("All tests passed (") {
        let cases = cases.split("in ").nth(1).and_then(number);
        return cases.map(|cases| (cases, 0));
    }
    if let Some(cases) = after("test cases:") {
        let field = |word: &str| cases.split('|').find(|f| f.contains(word)).and_then(number);
        return Some((field("passed").unwrap_or(0), field("failed").unwrap_or(0)));
    }
    let line = text.lines().rev().find(|line| line.trim().ends_with("tests passed"))?;
    let (passed, all) = line.trim().strip_suffix("tests passed")?.trim().split_once('/')?;
    let (passed, all): (usize, usize) = (passed.parse().ok()?, all.parse().ok()?);
    Some((passed, all.saturating_sub(passed)))
}

/// Returns the first line of a build's output that reports an error.
pub fn first_error(text: &str) -> &str {
    let found = |words: &[&str]| text.lines().find(|l| words.iter().any(|word| l.contains(word)));
    found(&["error:", "undefined reference"]).or_else(|| found(&["ninja:", "FAILED"])).unwrap_or("")
}

/// Returns the line that explains why a program failed.
fn last_error(text: &str) -> &str {
    let words = ["what()", "[  FAILED  ]", "FAILED:", "rror", "terminate", "annot", "signal"];
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let explains = |line: &&str| words.iter().any(|word| line.contains(word));
    lines().find(explains).or_else(|| lines().next_back()).unwrap_or("no output")
}

/// The results of a library on one backend, in the order of its tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    pub commit: String,
    pub tests: Vec<(String, Outcome)>,
}

impl Results {
    pub fn of(&self, test: &str) -> Option<&Outcome> {
        self.tests.iter().find(|(name, _)| name == test).map(|(_, outcome)| outcome)
    }

    pub fn set(&mut self, test: &str, outcome: Outcome) {
        match self.tests.iter_mut().find(|(name, _)| name == test) {
            Some((_, known)) => *known = outcome,
            None => self.tests.push((test.to_owned(), outcome)),
        }
    }

    /// Records that tests without a result have not run, and brings all tests into this order.
    pub fn add_missing(&mut self, names: &[String]) {
        let tests = names.iter().map(|name| {
            let known = self.of(name).cloned();
            (name.clone(), known.unwrap_or_else(|| Outcome::not_run("")))
        });
        self.tests = tests.collect();
    }

    /// Reads a file. A file that does not exist has no results.
    pub fn load(file: &Path) -> Result<Results, String> {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        Results::parse(&text).map_err(|line| format!("{}: wrong line '{line}'", file.display()))
    }

    pub fn save(&self, file: &Path) -> Result<(), String> {
        let folder = file.parent().unwrap_or(file);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(file, self.text()))
            .map_err(|e| format!("cannot write {}: {e}", file.display()))
    }

    fn text(&self) -> String {
        let mut text = format!("commit {}\n", self.commit);
        for (name, o) in &self.tests {
            let line = format!(
                "{name} | {} | {} | {} | {}",
                o.verdict.name(),
                o.passed,
                o.failed,
                o.error
            );
            text += &format!("{}\n", line.trim_end());
        }
        text
    }

    fn parse(text: &str) -> Result<Results, String> {
        let mut results = Results::default();
        for line in text.lines() {
            match line.strip_prefix("commit ") {
                Some(commit) => results.commit = commit.to_owned(),
                None => results.tests.push(parse_line(line).ok_or(line)?),
            }
        }
        Ok(results)
    }
}

fn parse_line(line: &str) -> Option<(String, Outcome)> {
    let mut fields = line.splitn(5, " |").map(str::trim);
    let name = fields.next()?.to_owned();
    let verdict = fields.next()?;
    let verdict = Verdict::ALL.into_iter().find(|known| known.name() == verdict)?;
    let (passed, failed) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let error = fields.next()?.to_owned();
    Some((name, Outcome { verdict, passed, failed, error }))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn programs_count_their_own_checks() {
        let google = "[==========] 5 tests ran.\n[  PASSED  ] 3 tests.\n[  FAILED  ] 2 tests, \
                      listed below:\n[  FAILED  ] a.b\n[  FAILED  ] a.c\n\n 2 FAILED TESTS\n";
        assert_eq!(count(google), Some((3, 2)));
        assert_eq!(count("[  PASSED  ] 7 tests.\n"), Some((7, 0)));
        assert_eq!(count("All tests passed (31 assertions in 4 test cases)\n"), Some((4, 0)));
        let catch = "test cases: 6 | 4 passed | 1 failed | 1 skipped\nassertions: 9 | 8 passed\n";
        assert_eq!(count(catch), Some((4, 1)));
        assert_eq!(count("  12/15 tests passed\n"), Some((12, 3)));
        assert_eq!(count("done\n"), None);
        let coloured =
            "\u{1b}[32mtest cases: 14\u{1b}[0m | \u{1b}[1m 5 passed\u{1b}[0m | 9 skipped";
        assert_eq!(count(&without_colours(coloured)), Some((5, 0)));
    }

    #[test]
    fn a_program_that_fails_without_a_count_is_one_failure() {
        let ended = |status, stdout: &str| process::Outcome {
            status,
            stdout: stdout.to_owned(),
            stderr: String::new(),
            timed_out: false,
            stopped: None,
            elapsed: Duration::ZERO,
        };
        let failed = Outcome::of(&ended(Some(1), "a\nwhat(): no device\nb\n"));
        assert_eq!((failed.passed, failed.failed), (0, 1));
        assert_eq!(failed.error, "what(): no device");
        let crashed = Outcome::of(&ended(None, "[  PASSED  ] 7 tests.\n"));
        assert_eq!((crashed.verdict, crashed.failed), (Verdict::Failed, 1));
        assert_eq!(Outcome::of(&ended(Some(0), "done\n")).passed, 1);
    }

    #[test]
    fn the_output_of_ctest_is_that_of_its_test() {
        let ended = |status, stdout: &str| process::Outcome {
            status,
            stdout: stdout.to_owned(),
            stderr: String::new(),
            timed_out: false,
            stopped: None,
            elapsed: Duration::ZERO,
        };
        let passed = Outcome::of_ctest(&ended(Some(0), "7: [  PASSED  ] 4 tests.\n1/1 Test #7\n"));
        assert_eq!((passed.verdict, passed.passed), (Verdict::Passed, 4));
        let failed = Outcome::of_ctest(&ended(Some(8), "7: what(): a: b\n1/1 a ***Failed 1 sec\n"));
        assert_eq!((failed.verdict, failed.error.as_str()), (Verdict::Failed, "what(): a: b"));
        let skipped = Outcome::of_ctest(&ended(Some(0), "7: no device\n1/1 a ***Skipped 1 sec\n"));
        assert_eq!(skipped.verdict, Verdict::NotRun);
    }

    #[test]
    fn results_survive_the_disk() {
        let mut results = Results { commit: "abc".to_owned(), tests: Vec::new() };
        results.set("a", Outcome::not_built("/s/a.cpp:1: error: no | x".to_owned()));
        let passed =
            Outcome { verdict: Verdict::Passed, passed: 3, failed: 0, error: String::new() };
        results.set("b", passed.clone());
        results.set("b", passed);
        assert_eq!(Results::parse(&results.text()), Ok(results.clone()));
        let mut all = results.clone();
        all.add_missing(&["b".to_owned(), "c".to_owned()]);
        assert_eq!(all.tests[0], results.tests[1]);
        assert_eq!(all.tests[1], ("c".to_owned(), Outcome::not_run("")));
        assert_eq!(all.tests.len(), 2);
        let shown = results.tests[0].1.clone().without_folders(&[Path::new("/s")]);
        assert_eq!(shown.error, "a.cpp:1: error: no / x");
        assert_eq!(
            Results::parse("commit a\nb | maybe | 1 | 2 |"),
            Err("b | maybe | 1 | 2 |".into())
        );
    }
}
