//! Removes duplicates from the diagnostics of several passes over one source.
//!
//! The device pass and the host pass read the same source, so clang prints most warnings and errors
//! twice. [`Merger`] reads the text that each pass printed and removes the diagnostics that an
//! earlier pass printed. A diagnostic consists of the "In file included from" lines before it, its
//! message, its source excerpt and its notes. One line with the sums replaces the lines that count
//! the diagnostics of each pass.

use scythe_diag::Severity;

/// A diagnostic as clang printed it, split into lines. Other text has no severity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct PrintedDiagnostic {
    severity: Option<Severity>,
    head: Vec<String>,
    notes: Vec<Vec<String>>,
}

/// The diagnostics that the passes over one source printed so far.
#[derive(Debug, Default)]
pub struct Merger {
    said: Vec<PrintedDiagnostic>,
    errors: usize,
    warnings: usize,
    counted: bool,
}

impl Merger {
    /// Returns the part of a pass's output that no earlier pass printed.
    pub fn add(&mut self, text: &str) -> String {
        let (diagnostics, counted) = parse(text);
        self.counted |= counted;
        let mut out = String::new();
        // Only earlier passes count: a pass that repeats a diagnostic does so on purpose.
        let before = self.said.len();
        for diagnostic in diagnostics {
            if diagnostic.severity.is_some()
                && self.said[..before].iter().any(|s| s.covers(&diagnostic))
            {
                continue;
            }
            if counted {
                self.errors += usize::from(diagnostic.severity == Some(Severity::Error));
                self.warnings += usize::from(diagnostic.severity == Some(Severity::Warning));
            }
            for line in diagnostic.head.iter().chain(diagnostic.notes.iter().flatten()) {
                out += line;
                out.push('\n');
            }
            self.said.push(diagnostic);
        }
        out
    }

    /// Returns the line that counts the diagnostics, in clang's words. It is empty if no pass
    /// printed one.
    pub fn summary(&self) -> String {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        match (self.counted, self.warnings, self.errors) {
            (false, ..) | (_, 0, 0) => String::new(),
            (_, 0, e) => format!("{} generated.\n", count(e, "error")),
            (_, w, 0) => format!("{} generated.\n", count(w, "warning")),
            (_, w, e) => format!("{} and {} generated.\n", count(w, "warning"), count(e, "error")),
        }
    }
}

impl PrintedDiagnostic {
    /// Whether `other` is the same diagnostic and `self` has all of its notes.
    fn covers(&self, other: &PrintedDiagnostic) -> bool {
        self.head == other.head && other.notes.iter().all(|n| self.notes.contains(n))
    }
}

/// Splits text into diagnostics. Leaves out the lines that count diagnostics, and returns whether
/// there was one.
fn parse(text: &str) -> (Vec<PrintedDiagnostic>, bool) {
    let mut found: Vec<PrintedDiagnostic> = Vec::new();
    let mut included: Vec<String> = Vec::new();
    let mut counted = false;
    for line in text.lines() {
        let plain = without_colour(line);
        if is_count(&plain) {
            counted = true;
            continue;
        }
        if is_inclusion(&plain) {
            included.push(line.to_owned());
            continue;
        }
        let severity = severity(&plain);
        let mut lines = std::mem::take(&mut included);
        lines.push(line.to_owned());
        match (severity, found.last_mut()) {
            (Some(Severity::Note), Some(last)) => last.notes.push(lines),
            (Some(severity), _) => found.push(PrintedDiagnostic {
                severity: Some(severity),
                head: lines,
                notes: Vec::new(),
            }),
            (None, Some(last)) => last.notes.last_mut().unwrap_or(&mut last.head).extend(lines),
            (None, None) => {
                found.push(PrintedDiagnostic { severity: None, head: lines, notes: Vec::new() })
            }
        }
    }
    if !included.is_empty() {
        found.push(PrintedDiagnostic { severity: None, head: included, notes: Vec::new() });
    }
    (found, counted)
}

fn is_inclusion(line: &str) -> bool {
    line.starts_with("In file included from ")
        || line.trim_start().starts_with("from ") && line.starts_with(' ')
}

/// Whether the line counts diagnostics: `2 warnings and 1 error generated.`
fn is_count(line: &str) -> bool {
    let Some(rest) = line.strip_suffix(" generated.") else { return false };
    rest.split(" and ").all(|part| {
        part.split_once(' ').is_some_and(|(n, what)| {
            n.bytes().all(|b| b.is_ascii_digit())
                && matches!(what, "error" | "errors" | "warning" | "warnings")
        })
    })
}

/// Returns the severity of a line `location: severity: text`. Lines of a source excerpt
/// (` 12 | code`) have none.
fn severity(line: &str) -> Option<Severity> {
    let gutter = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    if gutter.starts_with(" |") || gutter.starts_with('|') {
        return None;
    }
    let words = [
        ("fatal error: ", Severity::Error),
        ("error: ", Severity::Error),
        ("warning: ", Severity::Warning),
        ("remark: ", Severity::Remark),
        ("note: ", Severity::Note),
    ];
    let place = |word: &str| {
        if line.starts_with(word) { Some(0) } else { line.find(&format!(": {word}")) }
    };
    // The leftmost word counts: the text of a message may contain the other words.
    words
        .iter()
        .filter_map(|(word, severity)| Some((place(word)?, *severity)))
        .min_by_key(|(at, _)| *at)
        .map(|x| x.1)
}

/// Returns the line without terminal control sequences.
fn without_colour(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\x1b' {
            out.push(c);
            continue;
        }
        // A sequence ends with its first letter.
        for c in chars.by_ref() {
            if c.is_ascii_alphabetic() {
                break;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: &str = "a.cpp:2:1: error: expected ';'\n    2 | int x\n      |      ^\n";
    const WARNING: &str =
        "In file included from a.cpp:1:\nb.h:3:4: warning: unused [-Wunused]\n    3 | int y;\n";
    const NOTE: &str = "c.h:1:1: note: declared here\n";

    fn merged(passes: &[&str]) -> (Vec<String>, String) {
        let mut merger = Merger::default();
        let printed = passes.iter().map(|p| merger.add(p)).collect();
        (printed, merger.summary())
    }

    #[test]
    fn what_both_passes_say_is_said_once() {
        let text = format!("{WARNING}{ERROR}{NOTE}1 warning and 1 error generated.\n");
        let (printed, summary) = merged(&[&text, &text]);
        assert_eq!(printed, [format!("{WARNING}{ERROR}{NOTE}"), String::new()]);
        assert_eq!(summary, "1 warning and 1 error generated.\n");
    }

    #[test]
    fn what_only_one_says_stays() {
        let (printed, summary) = merged(&[
            &format!("{ERROR}1 error generated.\n"),
            &format!("{ERROR}{WARNING}1 error generated.\n"),
        ]);
        assert_eq!(printed, [ERROR.to_owned(), WARNING.to_owned()]);
        assert_eq!(summary, "1 warning and 1 error generated.\n");
    }

    #[test]
    fn a_diagnostic_with_fewer_notes_is_covered_and_with_more_is_not() {
        let (printed, _) = merged(&[&format!("{ERROR}{NOTE}"), ERROR]);
        assert_eq!(printed[1], "");
        let (printed, _) = merged(&[ERROR, &format!("{ERROR}{NOTE}")]);
        assert_eq!(printed[1], format!("{ERROR}{NOTE}"));
    }

    #[test]
    fn repetition_within_a_pass_is_kept() {
        let (printed, summary) = merged(&[&format!("{ERROR}{ERROR}2 errors generated.\n")]);
        assert_eq!(printed[0], format!("{ERROR}{ERROR}"));
        assert_eq!(summary, "2 errors generated.\n");
    }

    #[test]
    fn excerpts_and_messages_may_hold_any_words() {
        let tricky = "a.cpp:1:1: warning: 'x: error: y' [-W]\n    1 | puts(\": error: \");\n";
        let (printed, summary) = merged(&[&format!("{tricky}1 warning generated.\n")]);
        assert_eq!(printed[0], tricky);
        assert_eq!(summary, "1 warning generated.\n");
    }

    #[test]
    fn colour_does_not_hide_diagnostics() {
        let red = "\x1b[1ma.cpp:2:1: \x1b[0m\x1b[0;1;31merror: \x1b[0mno\n1 error generated.\n";
        let (printed, summary) = merged(&[red, red]);
        assert_eq!(printed[1], "");
        assert_eq!(summary, "1 error generated.\n");
    }

    #[test]
    fn other_text_passes_through() {
        let dump = "; ModuleID = 'x'\ndefine void @f()\n";
        assert_eq!(merged(&[dump, dump]).0, [dump, dump]);
        assert_eq!(merged(&["ld.lld: error: undefined symbol: f\n>>> referenced by a.o\n"]).1, "");
    }
}
