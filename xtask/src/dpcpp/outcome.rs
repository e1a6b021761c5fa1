//! The results of tests on a backend, and the file that keeps them.
//!
//! The first line of a file is `commit COMMIT`. Each other line has the fields `TEST`, `VERDICT`
//! and the reason, separated by ` | `.

use std::collections::BTreeMap;
use std::path::Path;

use super::removed;
use crate::process;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Passed,
    Failed,
    DoesNotApply,
}

impl Verdict {
    const ALL: [Verdict; 3] = [Verdict::Passed, Verdict::Failed, Verdict::DoesNotApply];

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::DoesNotApply => "does not apply",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// Why the test failed or does not apply.
    pub reason: String,
}

/// The length of a reason in the results.
const MAX_REASON: usize = 160;

impl Outcome {
    pub fn passed() -> Outcome {
        Outcome { verdict: Verdict::Passed, reason: String::new() }
    }

    pub fn failed(reason: impl Into<String>) -> Outcome {
        Outcome { verdict: Verdict::Failed, reason: reason.into() }
    }

    pub fn does_not_apply(reason: impl Into<String>) -> Outcome {
        Outcome { verdict: Verdict::DoesNotApply, reason: reason.into() }
    }

    /// Returns the result of a script that has not run to its end.
    pub fn of_failure(ended: &process::Outcome) -> Outcome {
        let reason = match &ended.stopped {
            Some(reason) => reason.clone(),
            None => explanation(&format!("{}\n{}", ended.stderr, ended.stdout)).to_owned(),
        };
        match removed::reason(&reason) {
            Some(excuse) => Outcome::does_not_apply(excuse),
            None => Outcome::failed(reason),
        }
    }

    /// Removes the names of folders of this machine from the reason, and characters that the
    /// results cannot contain.
    pub fn without_folders(mut self, folders: &[&Path]) -> Outcome {
        for folder in folders {
            self.reason = self.reason.replace(&format!("{}/", folder.display()), "");
            self.reason = self.reason.replace(&folder.display().to_string(), "");
        }
        self.reason = self.reason.replace(" | ", " / ");
        self.reason = self.reason.split(char::is_whitespace).collect::<Vec<_>>().join(" ");
        self.reason.retain(|c| !c.is_control());
        if let Some((end, _)) = self.reason.char_indices().nth(MAX_REASON) {
            self.reason.truncate(end);
            self.reason.push('…');
        }
        self.reason = self.reason.trim().to_owned();
        self
    }
}

/// Returns the line of an output that explains a failure.
fn explanation(text: &str) -> &str {
    let says_more = |line: &&str| !line.is_empty() && !line.contains("remark:");
    let lines = || text.lines().map(str::trim).filter(says_more);
    let found = |words: &[&str]| lines().find(|line| words.iter().any(|word| line.contains(word)));
    found(&["error:", "undefined reference"])
        .or_else(|| found(&["Assertion", "what()"]))
        .or_else(|| found(&["terminate", "signal"]))
        .or_else(|| found(&["rror", "FAIL", "ail", "annot", "rong"]))
        .or_else(|| lines().next())
        .unwrap_or("no output")
}

/// The results on one backend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    pub commit: String,
    pub tests: BTreeMap<String, Outcome>,
}

impl Results {
    pub fn load(file: &Path) -> Result<Results, String> {
        match std::fs::read_to_string(file) {
            Ok(text) => Results::parse(&text)
                .map_err(|line| format!("{}: the line '{line}' is wrong", file.display())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Results::default()),
            Err(e) => Err(format!("cannot read {}: {e}", file.display())),
        }
    }

    pub fn save(&self, file: &Path) -> Result<(), String> {
        let fail = |e: std::io::Error| format!("cannot write {}: {e}", file.display());
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(fail)?;
        }
        let waiting = file.with_extension("tmp");
        std::fs::write(&waiting, self.text()).map_err(fail)?;
        std::fs::rename(&waiting, file).map_err(fail)
    }

    fn text(&self) -> String {
        let mut text = format!("commit {}\n", self.commit);
        for (name, outcome) in &self.tests {
            let line = format!("{name} | {} | {}", outcome.verdict.name(), outcome.reason);
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    fn parse(text: &str) -> Result<Results, String> {
        let mut results = Results::default();
        for line in text.lines() {
            if let Some(commit) = line.strip_prefix("commit ") {
                results.commit = commit.to_owned();
                continue;
            }
            let (name, outcome) = parse_line(line).ok_or(line)?;
            results.tests.insert(name, outcome);
        }
        Ok(results)
    }
}

fn parse_line(line: &str) -> Option<(String, Outcome)> {
    let mut fields = line.splitn(3, " |").map(str::trim);
    let (name, verdict) = (fields.next()?, fields.next()?);
    let verdict = Verdict::ALL.into_iter().find(|known| known.name() == verdict)?;
    Some((name.to_owned(), Outcome { verdict, reason: fields.next()?.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_explained_by_the_line_that_says_most() {
        for (text, line) in [
            ("a\nx.cpp:1: error: no\nmake: Error 1", "x.cpp:1: error: no"),
            ("info\nx: Assertion `a' failed.\nAborted", "x: Assertion `a' failed."),
            ("one\n  Test failed: 3\n", "Test failed: 3"),
            ("one\ntwo", "one"),
            ("device-link: remark: a\none", "one"),
            ("\n", "no output"),
        ] {
            assert_eq!(explanation(text), line);
        }
    }

    #[test]
    fn results_survive_the_disk() {
        let mut results = Results { commit: "abc".to_owned(), ..Results::default() };
        results.tests.insert("a/b.cpp".to_owned(), Outcome::passed());
        let failed = Outcome::failed("/s/a.cpp:\t1 | 2").without_folders(&[Path::new("/s")]);
        assert_eq!(failed.reason, "a.cpp: 1 / 2");
        results.tests.insert("a/c.cpp".to_owned(), failed);
        assert_eq!(Results::parse(&results.text()), Ok(results));
        assert_eq!(Results::parse("commit a\nb | maybe |"), Err("b | maybe |".to_owned()));
    }
}
