//! Says once what several passes over one source have to say.
//!
//! The device and the host pass read the same source, so that most warnings and errors come twice.
//! [`Merger`] takes what the passes printed, in clang's format, and drops from each what an earlier
//! one has said already. A diagnostic is an error or warning with the lines before it that tell how
//! its file was included, its excerpt, and its notes. The lines that count them are replaced by
//! one.

/// One diagnostic, or text that is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Diagnostic {
    severity: Option<Severity>,
    head: Vec<String>,
    notes: Vec<Vec<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    Error,
    Warning,
    Remark,
    Note,
}

/// What the passes over one source have said so far.
#[derive(Debug, Default)]
pub struct Merger {
    said: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    counted: bool,
}

impl Merger {
    /// What is new in the output of one more pass.
    pub fn add(&mut self, text: &str) -> String {
        let (diagnostics, counted) = parse(text);
        self.counted |= counted;
        let mut out = String::new();
        // Only earlier passes count: within one pass, the same words twice are meant twice.
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

    /// The closing line, as clang words it, where one of the passes had one.
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

impl Diagnostic {
    /// The same diagnostic, and no note of `other` is missing here.
    fn covers(&self, other: &Diagnostic) -> bool {
        self.head == other.head && other.notes.iter().all(|n| self.notes.contains(n))
    }
}

/// Splits into diagnostics, without the lines that count them; tells whether there was such a line.
fn parse(text: &str) -> (Vec<Diagnostic>, bool) {
    let mut found: Vec<Diagnostic> = Vec::new();
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
            (Some(severity), _) => {
                found.push(Diagnostic { severity: Some(severity), head: lines, notes: Vec::new() })
            }
            (None, Some(last)) => last.notes.last_mut().unwrap_or(&mut last.head).extend(lines),
            (None, None) => {
                found.push(Diagnostic { severity: None, head: lines, notes: Vec::new() })
            }
        }
    }
    if !included.is_empty() {
        found.push(Diagnostic { severity: None, head: included, notes: Vec::new() });
    }
    (found, counted)
}

fn is_inclusion(line: &str) -> bool {
    line.starts_with("In file included from ")
        || line.trim_start().starts_with("from ") && line.starts_with(' ')
}

/// `2 warnings and 1 error generated.`
fn is_count(line: &str) -> bool {
    let Some(rest) = line.strip_suffix(" generated.") else { return false };
    rest.split(" and ").all(|part| {
        part.split_once(' ').is_some_and(|(n, what)| {
            n.bytes().all(|b| b.is_ascii_digit())
                && matches!(what, "error" | "errors" | "warning" | "warnings")
        })
    })
}

/// The severity in a line's `place: severity: text`. Lines of a source excerpt (` 12 | code`) have
/// none.
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
    // The leftmost counts: the text of a message may hold the other words.
    words
        .iter()
        .filter_map(|(word, severity)| Some((place(word)?, *severity)))
        .min_by_key(|(at, _)| *at)
        .map(|x| x.1)
}

/// The line without terminal control sequences.
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
