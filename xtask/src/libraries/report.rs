//! Writes `docs/libraries.md` from the results of all libraries.
//!
//! `docs/libraries-reasons.txt` contains reasons for tests that fail or do not build, one per line:
//! a library, a part of the test's name or of its error, and the reason, separated by ` | `. A
//! failure without a reason shows its first error.

use std::path::{Path, PathBuf};

use super::outcome::{Outcome, Results, Verdict};
use super::recipe::{RECIPES, Recipe};
use crate::backend::Backend;

struct Reason {
    library: String,
    part: String,
    text: String,
}

/// Returns the file with the results of a library on a backend.
pub fn file(docs: &Path, library: &str, backend: Backend) -> PathBuf {
    docs.join("results/libraries").join(format!("{library}-{}.txt", backend.name()))
}

/// Writes the page with all known results.
pub fn write(docs: &Path) -> Result<(), String> {
    let source = docs.join("libraries-reasons.txt");
    let text = std::fs::read_to_string(&source)
        .map_err(|e| format!("cannot read {}: {e}", source.display()))?;
    let reasons = reasons(&text).map_err(|e| format!("{}: {e}", source.display()))?;
    let mut known = Vec::new();
    for recipe in RECIPES {
        let mut backends = Vec::new();
        for backend in Backend::ALL {
            let results = Results::load(&file(docs, recipe.name, backend))?;
            if !results.tests.is_empty() {
                backends.push((backend, results));
            }
        }
        known.push((recipe, backends));
    }
    let path = docs.join("libraries.md");
    std::fs::write(&path, page(&known, &reasons))
        .map_err(|e| format!("cannot write {}: {e}", path.display()))
}

fn reasons(text: &str) -> Result<Vec<Reason>, String> {
    let mut reasons = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let [library, part, text] = line.splitn(3, " | ").collect::<Vec<_>>()[..] else {
            return Err(format!("line {number} is '{line}', expected 'LIBRARY | PART | REASON'"));
        };
        if !RECIPES.iter().any(|recipe| recipe.name == library) {
            return Err(format!("line {number}: unknown library '{library}'"));
        }
        let [library, part, text] = [library, part, text].map(str::to_owned);
        reasons.push(Reason { library, part, text });
    }
    Ok(reasons)
}

fn page(known: &[(&Recipe, Vec<(Backend, Results)>)], reasons: &[Reason]) -> String {
    let mut page = "# Libraries\n\n\
         This page lists SYCL libraries and applications, and the results of their own tests.\n\
         They are unmodified. Their own CMake files build them with `CMAKE_CXX_COMPILER=scythe`.\n\
         `cargo xtask libraries NAME --source PATH` writes this page and reads reasons for\n\
         failures from `libraries-reasons.txt`. The file `results/libraries/NAME-BACKEND.txt` has\n\
         the result of each test.\n\n\
         A test is a program, which may contain many checks. A test that is not built does not\n\
         compile or link. A test that skips itself, or that has not been tried, is not run.\n\n\
         | library | commit | backend | tests passed | failed | not built | not run | checks passed \
         | failed |\n|---|---|---|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for (recipe, backends) in known {
        for (backend, results) in backends {
            page += &summary(recipe, *backend, results);
        }
    }
    for (recipe, backends) in known {
        page += &format!("\n## {}\n\n{}\n", recipe.title, recipe.about);
        let options = recipe.configure.join(" ");
        page += &format!("\n```sh\ncmake -G Ninja -DCMAKE_CXX_COMPILER=scythe {options} ..\n```\n");
        let mut rows = String::new();
        for (backend, results) in backends {
            for (name, outcome) in results.tests.iter().filter(|(_, o)| needs_reason(o)) {
                rows += &row(recipe.name, *backend, name, outcome, reasons);
            }
        }
        if !rows.is_empty() {
            page += "\n| test | backend | result | checks passed | failed | reason |\n\
                     |---|---|---|--:|--:|---|\n";
            page += &rows;
        }
    }
    page
}

fn needs_reason(outcome: &Outcome) -> bool {
    match outcome.verdict {
        Verdict::Passed => false,
        Verdict::Failed | Verdict::NotBuilt => true,
        Verdict::NotRun => !outcome.error.is_empty(),
    }
}

fn summary(recipe: &Recipe, backend: Backend, results: &Results) -> String {
    let count = |verdict| results.tests.iter().filter(|(_, o)| o.verdict == verdict).count();
    let sum = |field: fn(&Outcome) -> usize| results.tests.iter().map(|(_, o)| field(o)).sum();
    let (passed, failed): (usize, usize) = (sum(|o| o.passed), sum(|o| o.failed));
    format!(
        "| [{}]({}) | {} | {} | {} | {} | {} | {} | {passed} | {failed} |\n",
        recipe.title,
        recipe.url,
        results.commit,
        backend.name(),
        count(Verdict::Passed),
        count(Verdict::Failed),
        count(Verdict::NotBuilt),
        count(Verdict::NotRun),
    )
}

fn row(library: &str, backend: Backend, name: &str, o: &Outcome, reasons: &[Reason]) -> String {
    let fits =
        |r: &&Reason| r.library == library && (name.contains(&r.part) || o.error.contains(&r.part));
    let reason = match reasons.iter().find(fits) {
        Some(reason) => reason.text.clone(),
        None => format!("`{}`", o.error.replace('`', "'").replace('|', "\\|")),
    };
    let (backend, verdict) = (backend.name(), o.verdict.name());
    format!("| {name} | {backend} | {verdict} | {} | {} | {reason} |\n", o.passed, o.failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(verdict: Verdict, passed: usize, failed: usize, error: &str) -> Outcome {
        Outcome { verdict, passed, failed, error: error.to_owned() }
    }

    #[test]
    fn the_page_counts_tests_and_explains_failures() {
        let recipe = &RECIPES[0];
        let results = Results {
            commit: "abc".to_owned(),
            tests: vec![
                ("one".to_owned(), outcome(Verdict::Passed, 3, 0, "")),
                ("two".to_owned(), outcome(Verdict::Failed, 1, 2, "a | b")),
                ("three".to_owned(), Outcome::not_run("no device")),
                ("four".to_owned(), Outcome::not_run("")),
            ],
        };
        let text = page(&[(recipe, vec![(Backend::Cpu, results.clone())])], &[]);
        assert!(text.contains("| abc | cpu | 1 | 1 | 0 | 2 | 4 | 2 |"), "{text}");
        assert!(text.contains("| two | cpu | failed | 1 | 2 | `a \\| b` |"), "{text}");
        assert!(text.contains("| three | cpu | not run | 0 | 0 | `no device` |"), "{text}");
        assert!(!text.contains("| one |") && !text.contains("| four |"), "{text}");
        let reasons = reasons(&format!("# x\n\n{} | a | it is so\n", recipe.name)).unwrap();
        let text = page(&[(recipe, vec![(Backend::Cpu, results)])], &reasons);
        assert!(text.contains("| cpu | failed | 1 | 2 | it is so |"), "{text}");
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, part) in [("a | b", "line 1"), ("x\n", "expected"), ("a | b | c", "library 'a'")]
        {
            assert!(reasons(text).err().unwrap().contains(part), "{text}");
        }
    }

    #[test]
    fn the_page_is_current() {
        let docs = crate::workspace::root().join("docs");
        let before = std::fs::read_to_string(docs.join("libraries.md")).unwrap();
        write(&docs).unwrap();
        let after = std::fs::read_to_string(docs.join("libraries.md")).unwrap();
        assert!(before == after, "docs/libraries.md was not current; it has been written again");
    }
}
