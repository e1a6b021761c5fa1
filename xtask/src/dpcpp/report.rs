//! Writes `docs/results/dpcpp-e2e.md` from the results of all backends.
//!
//! `docs/results/dpcpp-e2e-reasons.txt` contains reasons for tests that fail, one per line: a part
//! of the test's name or of its error, and the reason, separated by ` | `. A failure without a
//! reason shows its error.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::outcome::{Outcome, Results, Verdict};
use crate::backend::Backend;

struct Reason {
    part: String,
    text: String,
}

/// Returns the file with the results on a backend.
pub fn file(docs: &Path, backend: Backend) -> PathBuf {
    docs.join("results/dpcpp-e2e").join(format!("{}.txt", backend.name()))
}

/// Writes the page with all known results.
pub fn write(docs: &Path) -> Result<(), String> {
    let source = docs.join("results/dpcpp-e2e-reasons.txt");
    let text = std::fs::read_to_string(&source)
        .map_err(|e| format!("cannot read {}: {e}", source.display()))?;
    let reasons = reasons(&text).map_err(|e| format!("{}: {e}", source.display()))?;
    let mut known = Vec::new();
    for backend in Backend::ALL {
        let results = Results::load(&file(docs, backend))?;
        if !results.tests.is_empty() {
            known.push((backend, results));
        }
    }
    let path = docs.join("results/dpcpp-e2e.md");
    std::fs::write(&path, page(&known, &reasons))
        .map_err(|e| format!("cannot write {}: {e}", path.display()))
}

fn reasons(text: &str) -> Result<Vec<Reason>, String> {
    let mut reasons = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (part, text) = line
            .split_once(" | ")
            .ok_or_else(|| format!("line {number} is '{line}', expected 'PART | REASON'"))?;
        reasons.push(Reason { part: part.to_owned(), text: text.to_owned() });
    }
    Ok(reasons)
}

/// The numbers of tests with each verdict.
#[derive(Clone, Copy, Default)]
struct Count {
    passed: usize,
    failed: usize,
    does_not_apply: usize,
}

impl Count {
    fn of<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Count {
        outcomes.fold(Count::default(), |mut count, outcome| {
            match outcome.verdict {
                Verdict::Passed => count.passed += 1,
                Verdict::Failed => count.failed += 1,
                Verdict::DoesNotApply => count.does_not_apply += 1,
            }
            count
        })
    }

    /// Returns the cells of a table.
    fn cells(self) -> String {
        let applies = self.passed + self.failed;
        let share = match applies {
            0 => "–".to_owned(),
            _ => format!("{:.1} %", 100.0 * self.passed as f64 / applies as f64),
        };
        format!("{} | {} | {} | {share}", self.passed, self.failed, self.does_not_apply)
    }
}

fn folder(test: &str) -> &str {
    test.split('/').next().unwrap_or(test)
}

fn page(known: &[(Backend, Results)], reasons: &[Reason]) -> String {
    let mut page = "# End-to-end tests of DPC++\n\n\
         This page shows the results of DPC++'s own end-to-end tests, the folder\n\
         `sycl/test-e2e` of [intel/llvm](https://github.com/intel/llvm), with Scythe. The tests\n\
         are unmodified. `cargo xtask e2e --suite PATH` runs the commands in their `RUN:` lines,\n\
         where `%clangxx` stands for `scythe`, and writes this page. It reads reasons for\n\
         failures from `dpcpp-e2e-reasons.txt`. A failure without a reason shows its error.\n\n\
         A test passes if all of its commands succeed. A test does not apply if it requires\n\
         hardware or an interface that Scythe does not claim for the device, if it only runs on\n\
         other devices, or if DPC++ fails it as well. A sample of a folder contains its first\n\
         tests, by name.\n\n\
         | backend | commit | passed | failed | does not apply | passed of those that apply |\n\
         |---|---|--:|--:|--:|--:|\n"
        .to_owned();
    for (backend, results) in known {
        let count = Count::of(results.tests.values());
        page += &format!("| {} | {} | {} |\n", backend.name(), results.commit, count.cells());
    }
    page += "\n## Folders\n\n\
             | folder | backend | passed | failed | does not apply | passed of those that apply |\n\
             |---|---|--:|--:|--:|--:|\n";
    let mut folders: Vec<&str> =
        known.iter().flat_map(|(_, results)| results.tests.keys().map(|t| folder(t))).collect();
    folders.sort();
    folders.dedup();
    for name in &folders {
        for (backend, results) in known {
            let tests = results.tests.iter().filter(|(test, _)| folder(test) == *name);
            let count = Count::of(tests.map(|(_, outcome)| outcome));
            page += &format!("| {name} | {} | {} |\n", backend.name(), count.cells());
        }
    }
    page += "\n## Failures\n\n| test | backend | reason |\n|---|---|---|\n";
    for (backend, results) in known {
        for (test, outcome) in &results.tests {
            if outcome.verdict == Verdict::Failed {
                let reason = shown(test, outcome, reasons);
                page += &format!("| {test} | {} | {reason} |\n", backend.name());
            }
        }
    }
    page += "\n## Tests that do not apply\n\n| reason | backend | tests |\n|---|---|--:|\n";
    for (backend, results) in known {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for outcome in results.tests.values() {
            if outcome.verdict == Verdict::DoesNotApply {
                *numbers.entry(&outcome.reason).or_default() += 1;
            }
        }
        for (reason, number) in numbers {
            page += &format!("| {} | {} | {number} |\n", cell(reason), backend.name());
        }
    }
    page
}

fn shown(test: &str, outcome: &Outcome, reasons: &[Reason]) -> String {
    let fits = |r: &&Reason| test.contains(&r.part) || outcome.reason.contains(&r.part);
    match reasons.iter().find(fits) {
        Some(reason) => cell(&reason.text),
        None => format!("`{}`", cell(&outcome.reason.replace('`', "'"))),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_counts_tests_and_explains_failures() {
        let tests = [
            ("Basic/a.cpp", Outcome::passed()),
            ("Basic/b.cpp", Outcome::failed("x | y")),
            ("Basic/c.cpp", Outcome::failed("error: z")),
            ("USM/d.cpp", Outcome::does_not_apply("it requires gpu || cuda")),
        ];
        let tests = tests.map(|(name, outcome)| (name.to_owned(), outcome)).into();
        let results = Results { commit: "abc".to_owned(), tests };
        let reasons = reasons("# a comment\n\nerror: z | it is so\n").unwrap();
        let text = page(&[(Backend::Cpu, results)], &reasons);
        for line in [
            "| cpu | abc | 1 | 2 | 1 | 33.3 % |",
            "| Basic | cpu | 1 | 2 | 0 | 33.3 % |",
            "| USM | cpu | 0 | 0 | 1 | – |",
            "| Basic/b.cpp | cpu | `x \\| y` |",
            "| Basic/c.cpp | cpu | it is so |",
            "| it requires gpu \\|\\| cuda | cpu | 1 |",
        ] {
            assert!(text.contains(&format!("{line}\n")), "{line}\n{text}");
        }
    }

    #[test]
    fn wrong_lines_are_named() {
        assert!(reasons("a: b\n").err().unwrap().contains("line 1"));
    }

    #[test]
    fn the_page_is_current() {
        let docs = crate::workspace::root().join("docs");
        let file = docs.join("results/dpcpp-e2e.md");
        let before = std::fs::read_to_string(&file).unwrap();
        write(&docs).unwrap();
        let after = std::fs::read_to_string(&file).unwrap();
        assert!(before == after, "{} was not current; it has been written again", file.display());
    }
}
