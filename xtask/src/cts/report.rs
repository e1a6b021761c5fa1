//! Writes `docs/conformance.md`: a table of all categories for each backend, and the reason for
//! each failure.
//!
//! `docs/conformance-reasons.txt` contains the reasons, one per line: a category or `*`, a part of
//! the failure's text (of the test, the file, or the first error), and the reason, separated by ` |
//! `. A failure without a reason shows its first error.

use std::path::Path;

use super::outcome::Outcome;
use super::suite::Suite;
use crate::backend::Backend;

struct Reason {
    category: String,
    part: String,
    text: String,
}

/// Writes the page with all known results, unless it would not change.
pub fn write(suite: &Suite, folder: &Path, docs: &Path) -> Result<(), String> {
    let source = docs.join("conformance-reasons.txt");
    let text = match std::fs::read_to_string(&source) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(format!("cannot read {}: {e}", source.display())),
    };
    let reasons = reasons(&text).map_err(|e| format!("{}: {e}", source.display()))?;
    let mut page = format!(
        "# Conformance\n\n\
         This page lists the results of the SYCL 2020 conformance suite\n\
         ([SYCL-CTS](https://github.com/KhronosGroup/SYCL-CTS), commit {}). The tests are\n\
         unmodified and run in full conformance mode, including the tests of extensions. `cargo\n\
         xtask cts --suite PATH` writes this page and reads the reasons for failures from\n\
         `conformance-reasons.txt`. `cmake/cts/AddSYCLExecutable.cmake` registers Scythe with\n\
         the suite.\n\n\
         A category conforms if all its files build and no test fails. A file that does not\n\
         build does not affect the other files of its category. A test is skipped if the device\n\
         lacks the tested feature.\n",
        suite.version
    );
    for backend in Backend::ALL {
        let outcomes: Vec<(&str, Option<Outcome>)> = suite
            .categories
            .iter()
            .map(|c| (c.as_str(), Outcome::load(folder, backend, c)))
            .collect();
        if outcomes.iter().any(|(_, o)| o.is_some()) {
            page += &section(backend, &outcomes, &reasons);
        }
    }
    let path = docs.join("conformance.md");
    if std::fs::read_to_string(&path).is_ok_and(|old| old == page) {
        return Ok(());
    }
    std::fs::write(&path, page).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

fn reasons(text: &str) -> Result<Vec<Reason>, String> {
    let lines =
        text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    lines
        .map(|(i, line)| match line.split(" | ").map(str::trim).collect::<Vec<_>>().as_slice() {
            [category, part, text] => Ok(Reason {
                category: (*category).into(),
                part: (*part).into(),
                text: (*text).into(),
            }),
            _ => Err(format!("line {}: expected 'category | part | reason', not '{line}'", i + 1)),
        })
        .collect()
}

fn section(backend: Backend, outcomes: &[(&str, Option<Outcome>)], reasons: &[Reason]) -> String {
    let conforming =
        outcomes.iter().filter(|(_, o)| o.as_ref().is_some_and(Outcome::conforms)).count();
    let title = match backend {
        Backend::Cpu => "The built-in CPU device",
        Backend::OpenCl => "OpenCL (Intel's runtime for CPUs)",
        Backend::Cuda => "CUDA (generic code, compiled at run time)",
    };
    let mut text =
        format!("\n## {title}\n\n{conforming} of {} categories conform.\n\n", outcomes.len());
    text += "| category | conforms | tests passed | failed | skipped | files not built \
        |\n|---|---|---:|---:|---:|---:|\n";
    for (category, outcome) in outcomes {
        text += &match outcome {
            Some(o) => format!(
                "| {category} | {} | {} | {} | {} | {} |\n",
                if o.conforms() { "yes" } else { "no" },
                o.passed,
                o.failed.len(),
                o.skipped,
                o.not_built.len()
            ),
            None => format!("| {category} | not run | | | | |\n"),
        };
    }
    text += "\n### Why\n\n";
    for (category, outcome) in outcomes {
        let Some(outcome) = outcome else { continue };
        for (why, names) in grouped(category, outcome, reasons) {
            let (first, more) = (&names[0], names.len() - 1);
            let others = if more > 0 { format!(" and {more} more") } else { String::new() };
            text +=
                &wrapped(&format!("- **{category}**, {}{others}: {}", plain(first), plain(&why)));
        }
        if outcome.passed == 0 && outcome.failed.is_empty() && outcome.not_built.is_empty() {
            let why = reason(category, "no tests", reasons).unwrap_or("no tests");
            text += &wrapped(&format!("- **{category}**: {why}"));
        }
    }
    text
}

/// Wraps a list item to lines of at most 100 columns.
fn wrapped(item: &str) -> String {
    let mut text = String::new();
    let mut columns = 0;
    for word in item.split(' ') {
        let width = word.chars().count();
        if columns > 0 && columns + 1 + width > 100 {
            text += "\n ";
            columns = 1;
        }
        if columns > 0 {
            text += " ";
            columns += 1;
        }
        text += word;
        columns += width;
    }
    text + "\n"
}

/// Groups failures by reason, in the order of their first occurrence.
fn grouped(category: &str, outcome: &Outcome, reasons: &[Reason]) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (name, error) in outcome.not_built.iter().chain(&outcome.failed) {
        let known = reason(category, name, reasons).or_else(|| reason(category, error, reasons));
        let why = known.unwrap_or(error).to_owned();
        match groups.iter_mut().find(|(w, _)| *w == why) {
            Some((_, names)) => names.push(name.clone()),
            None => groups.push((why, vec![name.clone()])),
        }
    }
    groups
}

fn reason<'a>(category: &str, text: &str, reasons: &'a [Reason]) -> Option<&'a str> {
    let fits =
        |r: &&Reason| (r.category == "*" || r.category == category) && text.contains(&r.part);
    reasons.iter().find(fits).map(|r| r.text.as_str())
}

/// Escapes text so that Markdown shows it unchanged.
fn plain(text: &str) -> String {
    text.chars()
        .flat_map(|c| if "\\`*_<>[]|".contains(c) { vec!['\\', c] } else { vec![c] })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_grouped_by_reason() {
        let reasons = reasons(
            "# heading\n\n* | no member named 'stream' | streams are missing\nid | two | why\n",
        )
        .unwrap();
        let outcome = Outcome {
            passed: 1,
            failed: vec![("two".into(), "x".into()), ("three".into(), "y".into())],
            not_built: vec![("a.cpp".into(), "error: no member named 'stream'".into())],
            ..Outcome::default()
        };
        let groups = grouped("id", &outcome, &reasons);
        let whys: Vec<&str> = groups.iter().map(|(w, _)| w.as_str()).collect();
        assert_eq!(whys, ["streams are missing", "why", "y"]);
        let text = section(Backend::Cpu, &[("id", Some(outcome)), ("range", None)], &reasons);
        assert!(text.contains("| id | no | 1 | 2 | 0 | 1 |"), "{text}");
        assert!(text.contains("| range | not run |"), "{text}");
        assert!(text.contains("0 of 2 categories conform"), "{text}");
    }

    #[test]
    fn list_items_have_at_most_100_columns() {
        let words = vec!["twelve-chars"; 20].join(" ");
        let text = wrapped(&format!("- {words}"));
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("  t")), "{text}");
        assert_eq!(text.split_whitespace().skip(1).collect::<Vec<_>>().join(" "), words);
    }

    #[test]
    fn wrong_lines_of_reasons_are_named() {
        assert!(reasons("a | b\n").err().unwrap().contains("line 1"));
    }
}
