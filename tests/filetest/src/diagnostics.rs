//! The tool `check-diagnostics`: compares messages with `ERROR:`, `WARNING:` and `NOTE:` comments.
//!
//! The compiler's messages come from standard input. Every error and warning must be expected, and
//! every expectation must be met. Notes that no comment mentions are accepted. With
//! `SCYTHE_FILETEST_UPDATE=1` in the environment, the tool rewrites the comments instead.

use crate::directive::directives;
use crate::parse::{
    EXPECTED_SEVERITIES, ExpectedDiagnostic, FileTest, expected_severity, severity_key,
};
use scythe_diag::Severity;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// The variable that requests an update of the comments.
const UPDATE: &str = "SCYTHE_FILETEST_UPDATE";

/// Runs `check-diagnostics FILE < MESSAGES`.
pub(crate) fn run(args: &[String]) -> Result<String, String> {
    let [file] = args else { return Err("usage: check-diagnostics FILE < MESSAGES".into()) };
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let expected = FileTest::parse(&text).map_err(|e| format!("{file}: {e}"))?.diagnostics;
    let mut messages = Vec::new();
    std::io::stdin()
        .read_to_end(&mut messages)
        .map_err(|e| format!("the messages cannot be read: {e}"))?;
    let messages = String::from_utf8_lossy(&messages);
    let difference = compare(&expected, &seen(Path::new(file), &messages));
    if difference.is_empty() {
        return Ok(String::new());
    }
    if std::env::var_os(UPDATE).is_some_and(|value| value == "1") {
        std::fs::write(file, update(&text, &difference)?).map_err(|e| format!("{file}: {e}"))?;
        return Ok(format!("{file} is updated\n"));
    }
    Err(format!("{}\nThe compiler printed:\n{messages}", difference.describe(file)))
}

/// The diagnostics in a compiler's messages. Those of other files have line 0.
pub fn seen(file: &Path, messages: &str) -> Vec<ExpectedDiagnostic> {
    let place = format!("{}:", file.display());
    let read = |line: &str| {
        let found = EXPECTED_SEVERITIES
            .into_iter()
            .find_map(|severity| Some((severity, line.split_once(&format!(" {severity}: "))?)));
        let (severity, (before, message)) = found?;
        let number =
            before.strip_prefix(&place).and_then(|rest| rest.split(':').next()?.parse().ok());
        Some(ExpectedDiagnostic { line: number.unwrap_or(0), severity, message: message.into() })
    };
    messages.lines().filter_map(read).collect()
}

/// The difference between the actual and the expected diagnostics.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Difference {
    pub missing: Vec<ExpectedDiagnostic>,
    pub unexpected: Vec<ExpectedDiagnostic>,
}

pub fn compare(expected: &[ExpectedDiagnostic], seen: &[ExpectedDiagnostic]) -> Difference {
    let matches = |want: &ExpectedDiagnostic, have: &ExpectedDiagnostic| {
        (want.severity, want.line) == (have.severity, have.line)
            && have.message.contains(&want.message)
    };
    let mut unexpected = seen.to_vec();
    let mut missing = Vec::new();
    for want in expected {
        match unexpected.iter().position(|have| matches(want, have)) {
            Some(found) => drop(unexpected.remove(found)),
            None => missing.push(want.clone()),
        }
    }
    unexpected.retain(|have| have.severity != Severity::Note);
    Difference { missing, unexpected }
}

impl Difference {
    fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.unexpected.is_empty()
    }

    /// Formats one line for each diagnostic, with `-` before missing and `+` before unexpected
    /// ones.
    fn describe(&self, file: &str) -> String {
        let line = |sign: char, d: &ExpectedDiagnostic| {
            format!("{sign} {file}:{}: {}: {}", d.line, d.severity, d.message)
        };
        let missing = self.missing.iter().map(|d| line('-', d));
        let lines: Vec<String> =
            missing.chain(self.unexpected.iter().map(|d| line('+', d))).collect();
        format!("The diagnostics differ (- expected, + seen):\n{}", lines.join("\n"))
    }
}

/// Returns the text with comments for the actual diagnostics. Expectations that were met stay
/// unchanged.
fn update(text: &str, difference: &Difference) -> Result<String, String> {
    if let Some(other) = difference.unexpected.iter().find(|d| d.line == 0) {
        return Err(format!(
            "a diagnostic of another file has no line for its comment: {}",
            other.message
        ));
    }
    let mut comments: BTreeMap<usize, Vec<(Severity, String)>> = BTreeMap::new();
    let mut missing = difference.missing.clone();
    for directive in directives(text) {
        let Some(severity) = expected_severity(directive.key) else { continue };
        let this =
            ExpectedDiagnostic { line: directive.line, severity, message: directive.value.into() };
        let list = comments.entry(directive.line).or_default();
        match missing.iter().position(|d| *d == this) {
            Some(index) => drop(missing.remove(index)),
            None => list.push((severity, this.message)),
        }
    }
    for new in &difference.unexpected {
        comments.entry(new.line).or_default().push((new.severity, new.message.clone()));
    }
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        let Some(list) = comments.get(&(index + 1)) else {
            out += &format!("{line}\n");
            continue;
        };
        let marks = EXPECTED_SEVERITIES.map(|severity| format!("// {}:", severity_key(severity)));
        let end = marks.iter().filter_map(|mark| line.find(mark)).min().unwrap_or(line.len());
        out += line[..end].trim_end();
        list.iter().for_each(|(severity, message)| {
            out += &format!(" // {}: {message}", severity_key(*severity))
        });
        out.push('\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// RUN: check-diagnostics %s\nf(); // ERROR: bad // NOTE: here\n\
                        g(); // WARNING: odd\nh();\n";

    fn differ(messages: &str) -> Difference {
        compare(
            &FileTest::parse(TEXT).unwrap().diagnostics,
            &seen(Path::new("/a b/x.cpp"), messages),
        )
    }

    #[test]
    fn every_error_and_warning_is_expected_and_comes() {
        let fine = "/a b/x.cpp:2:1: error: so bad\n/a b/x.cpp:2:5: note: here!\n\
                    /a b/x.cpp:3:1: warning: odd\n/a b/x.cpp:9:1: note: more\n";
        assert!(differ(fine).is_empty());
        let wrong = "/a b/x.cpp:2:1: error: so bad\n/a b/x.cpp:4:5: warning: odd\n\
                     other.cpp:1:1: error: bad\n";
        let difference = differ(wrong);
        assert_eq!(difference.missing.len(), 2);
        assert_eq!(difference.unexpected.iter().map(|d| d.line).collect::<Vec<_>>(), [4, 0]);
        let shown = difference.describe("x.cpp");
        assert!(shown.contains("\n- x.cpp:3: warning: odd\n+ x.cpp:4: warning: odd\n"), "{shown}");
    }

    #[test]
    fn an_update_replaces_what_differs() {
        let difference = differ("/a b/x.cpp:2:1: error: so bad\n/a b/x.cpp:4:5: warning: odd\n");
        let expected =
            "// RUN: check-diagnostics %s\nf(); // ERROR: bad\ng();\nh(); // WARNING: odd\n";
        assert_eq!(update(TEXT, &difference), Ok(expected.to_owned()));
        assert!(update(TEXT, &differ("other.cpp:1:1: error: bad\n")).is_err());
    }
}
