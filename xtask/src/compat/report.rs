//! Writes `docs/compatibility.md`: a table of all programs, with a reason for each that does not
//! build or fails.
//!
//! `docs/compatibility-reasons.txt` contains reasons, one per line: a program, a kind and the
//! reason, separated by ` | `. The kind `needs` is for programs that need something that cannot be
//! had, such as another library; they do not count. The kind `note` is for all others. A failure
//! without a reason shows its first error.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::Device;
use super::outcome::{Outcome, Run, Verdict};
use crate::process;

#[derive(Debug, PartialEq, Eq)]
enum Reason {
    Needs(String),
    Note(String),
}

impl Reason {
    fn text(&self) -> String {
        match self {
            Reason::Needs(what) => format!("needs {what}"),
            Reason::Note(text) => text.clone(),
        }
    }
}

/// Writes the page with all known results.
pub fn write(suite: &Path, folder: &Path, all: &[String], docs: &Path) -> Result<(), String> {
    let source = docs.join("compatibility-reasons.txt");
    let text = match std::fs::read_to_string(&source) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(format!("cannot read {}: {e}", source.display())),
    };
    let reasons = reasons(&text).map_err(|e| format!("{}: {e}", source.display()))?;
    if let Some(unknown) = reasons.keys().find(|name| !all.contains(name)) {
        return Err(format!("{}: the suite has no program '{unknown}'", source.display()));
    }
    let mut git = Command::new("git");
    let commit =
        process::output(git.arg("-C").arg(suite).args(["rev-parse", "--short=12", "HEAD"]))
            .map_or_else(
                |_| "an unknown commit".to_owned(),
                |text| format!("commit {}", text.trim()),
            );
    let outcomes: Vec<(&str, Outcome)> =
        all.iter().map(|name| (name.as_str(), Outcome::load(folder, name))).collect();
    let page = page(&commit, &outcomes, &reasons);
    let path = docs.join("compatibility.md");
    std::fs::write(&path, page).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Reads the page and stores the results of programs that have none in `folder`.
pub fn read(folder: &Path, all: &[String], docs: &Path) -> Result<(), String> {
    let page = std::fs::read_to_string(docs.join("compatibility.md")).unwrap_or_default();
    for (name, outcome) in page.lines().filter_map(parse_row) {
        let known = Outcome::load(folder, &name) != Outcome::default();
        if !known && all.contains(&name) {
            outcome.save(folder, &name)?;
        }
    }
    Ok(())
}

/// Reads a row of the table of programs.
fn parse_row(line: &str) -> Option<(String, Outcome)> {
    let line = line.replace("\\|", "\u{0}");
    let cells: Vec<&str> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').collect();
    let [name, cpu, sm_90, run, reason] = cells[..] else { return None };
    let reason = reason.trim().trim_matches('`').replace('\0', "|");
    let mut outcome = Outcome::default();
    for (device, cell) in Device::ALL.into_iter().zip([cpu, sm_90]) {
        match cell.trim() {
            "builds" => outcome.set_built(device, Ok(())),
            "no" => outcome.set_built(device, Err(reason.clone())),
            "" => {}
            _ => return None,
        }
    }
    outcome.run = match run.trim() {
        "" => None,
        name => Some(Run { verdict: Verdict::from_name(name)?, reason }),
    };
    Some((name.trim().to_owned(), outcome))
}

fn reasons(text: &str) -> Result<BTreeMap<String, Reason>, String> {
    let mut reasons = BTreeMap::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let parts: Vec<&str> = line.splitn(3, " | ").collect();
        let (name, reason) = match parts[..] {
            [name, "needs", text] => (name, Reason::Needs(text.to_owned())),
            [name, "note", text] => (name, Reason::Note(text.to_owned())),
            _ => {
                let expected = "expected 'PROGRAM | needs | TEXT' or 'PROGRAM | note | TEXT'";
                return Err(format!("line {number} is '{line}', {expected}"));
            }
        };
        if reasons.insert(name.to_owned(), reason).is_some() {
            return Err(format!("line {number}: '{name}' has two reasons"));
        }
    }
    Ok(reasons)
}

fn page(commit: &str, outcomes: &[(&str, Outcome)], reasons: &BTreeMap<String, Reason>) -> String {
    let mut page = format!(
        "# Compatibility\n\n\
         This page lists the SYCL programs of\n\
         [HeCBench](https://github.com/zjin-lcf/HeCBench) ({commit}). Each program is\n\
         unmodified. Its own Makefile builds it with `CC=scythe` (or with `CXX`, if that is its\n\
         compiler), for the CPU (`GPU=no`) and for NVIDIA GPUs (`CUDA=yes CUDA_ARCH=sm_90`).\n\
         `make run` then runs it on the CPU for at most one minute of processor time. A program\n\
         without a verdict has not run. `cargo xtask compat --suite PATH` writes this page and\n\
         reads reasons from `compatibility-reasons.txt`.\n\n\
         | device | programs | need something else | build | of the others |\n\
         |---|--:|--:|--:|--:|\n"
    );
    for device in Device::ALL {
        let known: Vec<_> =
            outcomes.iter().filter(|(_, outcome)| outcome.is_built_for(device)).collect();
        let built = known.iter().filter(|(_, outcome)| outcome.builds(device)).count();
        let excused = known
            .iter()
            .filter(|(name, outcome)| {
                !outcome.builds(device) && matches!(reasons.get(*name), Some(Reason::Needs(_)))
            })
            .count();
        let counted = known.len() - excused;
        let share = 100.0 * built as f64 / counted.max(1) as f64;
        page += &format!(
            "| {} | {} | {excused} | {built} | {share:.1} % |\n",
            device.name(),
            known.len()
        );
    }
    let count = |verdict: Verdict| {
        let runs = outcomes.iter().filter_map(|(_, outcome)| outcome.run.as_ref());
        runs.filter(|run| run.verdict == verdict).count()
    };
    page += &format!(
        "\nOf the programs that ran on the CPU, {} found their results right (passed), {} ended \
         without\na verdict of their own (ended), {} failed (failed), and {} took more than a \
         minute (slow).\n\n\
         | program | cpu | sm_90 | run | reason |\n|---|---|---|---|---|\n",
        count(Verdict::Passed),
        count(Verdict::Ended),
        count(Verdict::Failed),
        count(Verdict::Slow)
    );
    for (name, outcome) in outcomes {
        page += &row(name, outcome, reasons.get(*name));
    }
    page
}

fn row(name: &str, outcome: &Outcome, reason: Option<&Reason>) -> String {
    let built = |device| match outcome.built(device) {
        Some(Ok(())) => "builds",
        Some(Err(_)) => "no",
        None => "",
    };
    let run = outcome.run.as_ref();
    let failed = run.filter(|run| run.verdict == Verdict::Failed);
    let error = Device::ALL
        .iter()
        .find_map(|device| outcome.built(*device)?.as_ref().err())
        .or(failed.map(|run| &run.reason));
    let shown = match (reason, error) {
        (Some(reason), Some(_)) => reason.text(),
        (None, Some(error)) => format!("`{}`", error.replace('`', "'").replace('|', "\\|")),
        (_, None) => String::new(),
    };
    format!(
        "| {name} | {} | {} | {} | {shown} |\n",
        built(Device::Cpu),
        built(Device::Sm90),
        run.map_or("", |run| run.verdict.name())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_need_something_else_do_not_count() {
        let reasons =
            reasons("# comment\nb | needs | oneMKL\nc | note | divides by zero\n").unwrap();
        let mut a = Outcome::default();
        a.set_built(Device::Cpu, Ok(()));
        a.run = Some(Run { verdict: Verdict::Passed, reason: String::new() });
        let mut b = Outcome::default();
        b.set_built(Device::Cpu, Err("no mkl.hpp".to_owned()));
        let mut c = Outcome::default();
        c.set_built(Device::Cpu, Err("b | a".to_owned()));
        let text = page("x", &[("a", a), ("b", b), ("c", c.clone())], &reasons);
        assert!(text.contains("| cpu | 3 | 1 | 1 | 50.0 % |"), "{text}");
        assert!(text.contains("| a | builds |  | passed |  |"), "{text}");
        assert!(text.contains("| b | no |  |  | needs oneMKL |"), "{text}");
        assert!(text.contains("| c | no |  |  | divides by zero |"), "{text}");
        assert!(row("c", &c, None).contains("`b \\| a`"));
    }

    #[test]
    fn rows_can_be_read_again() {
        let mut failed = Outcome::default();
        failed.set_built(Device::Cpu, Ok(()));
        failed.set_built(Device::Sm90, Ok(()));
        let reason = "terminate | called".to_owned();
        failed.run = Some(Run { verdict: Verdict::Failed, reason });
        let mut unknown = Outcome::default();
        unknown.set_built(Device::Sm90, Err("b | a".to_owned()));
        for outcome in [failed, unknown] {
            let read = parse_row(row("x", &outcome, None).trim_end());
            assert_eq!(read, Some(("x".to_owned(), outcome)));
        }
        assert_eq!(parse_row("|---|---|---|---|---|"), None);
        assert_eq!(parse_row("| program | cpu | sm_90 | run | reason |"), None);
        assert_eq!(parse_row("| cpu | 3 | 1 | 1 | 50.0 % |"), None);
    }

    #[test]
    fn wrong_lines_are_named() {
        for text in ["a", "a | because | b", "a | note | b\na | note | c"] {
            assert!(reasons(text).unwrap_err().contains("line"), "{text}");
        }
    }
}
