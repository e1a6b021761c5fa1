//! Diagnostics as values: severity, message, location, stable code and notes.
//!
//! The code that finds a fault makes a [`Diagnostic`]. Only the owner of standard error prints
//! [`Diagnostic::render`]. The text has clang's format, so editors and build systems that read
//! clang's messages also read these:
//!
//! ```text
//! a.cpp:3:5: error: kernel name 'K' is used by two different kernels [scythe-E0201]
//! b.cpp:7:9: note: the other kernel is here
//! ```
//!
//! Each crate that reports errors declares them in one table with [`errors!`].
//! `docs/diagnostics.md` has a paragraph for each row.

#![forbid(unsafe_code)]

pub mod documentation;
pub mod spelling;
mod table;
pub mod warning;

pub use table::Report;

use std::fmt;

/// The severity of a diagnostic, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// An explanation of the diagnostic before it.
    Note,
    Remark,
    Warning,
    /// The command fails and writes no output.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Remark => "remark",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// The stable code of a diagnostic. It never changes and no other diagnostic ever gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// An error, shown as `scythe-E0201`. `docs/diagnostics.md` has a paragraph for each number.
    Error(u16),
    /// A warning or remark, shown as the option of its group: `-Wsycl-aot`.
    Warning(warning::Group),
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(number) => write!(f, "scythe-E{number:04}"),
            Self::Warning(group) => f.write_str(group.option()),
        }
    }
}

/// A position in a file. Lines and columns count from 1; 0 means unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Location {
    pub fn new(file: impl Into<String>, line: u32, column: u32) -> Self {
        Self { file: file.into(), line, column }
    }

    /// Makes a location without line and column.
    pub fn file(file: impl Into<String>) -> Self {
        Self::new(file, 0, 0)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line != 0 {
            write!(f, ":{}", self.line)?;
            if self.column != 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        Ok(())
    }
}

/// A note of a diagnostic: a call of a call chain, or the other of two definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note<L = Location> {
    pub location: Option<L>,
    pub message: String,
}

/// A diagnostic. `L` is the type of its locations. The front end uses clang's source locations, so
/// that clang shows the source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic<L = Location> {
    pub severity: Severity,
    pub code: Option<Code>,
    pub location: Option<L>,
    pub message: String,
    pub notes: Vec<Note<L>>,
}

impl<L> Diagnostic<L> {
    /// Makes a diagnostic from the text of LLVM or of another program. It has no code. Scythe's own
    /// errors are rows of a table: see [`errors!`] and [`Report`].
    pub fn foreign(severity: Severity, message: impl Into<String>) -> Self {
        Self::new(severity, message)
    }

    fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self { severity, code: None, location: None, message: message.into(), notes: Vec::new() }
    }

    /// Makes an error. Tables of [`errors!`] call this function; other code uses [`Report`].
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message).code(code)
    }

    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    pub fn remark(message: impl Into<String>) -> Self {
        Self::new(Severity::Remark, message)
    }

    /// Sets the code.
    pub fn code(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    /// Sets the location.
    pub fn at(mut self, location: L) -> Self {
        self.location = Some(location);
        self
    }

    /// Adds a note.
    pub fn note(mut self, message: impl Into<String>) -> Self {
        self.notes.push(Note { location: None, message: message.into() });
        self
    }

    /// Adds a note with a location.
    pub fn note_at(mut self, location: L, message: impl Into<String>) -> Self {
        self.notes.push(Note { location: Some(location), message: message.into() });
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The message with its code: `text [scythe-E0101]`.
    pub fn message_with_code(&self) -> String {
        match self.code {
            Some(code) => format!("{} [{code}]", self.message),
            None => self.message.clone(),
        }
    }
}

impl Diagnostic {
    /// Returns the text to print. Each line ends with a newline.
    pub fn render(&self) -> String {
        self.render_as("")
    }

    /// Like [`Diagnostic::render`], for a command. The name of the command replaces a missing
    /// location.
    pub fn render_as(&self, command: &str) -> String {
        let location = self.location.as_ref();
        let mut out = line(location, command, self.severity, &self.message_with_code());
        for note in &self.notes {
            out.push_str(&line(note.location.as_ref(), command, Severity::Note, &note.message));
        }
        out
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render().trim_end_matches('\n'))
    }
}

impl std::error::Error for Diagnostic {}

/// Renders one line. A location without a file counts as missing.
fn line(location: Option<&Location>, command: &str, severity: Severity, message: &str) -> String {
    let place = match location.filter(|location| !location.file.is_empty()) {
        Some(location) => format!("{location}: "),
        None if command.is_empty() => String::new(),
        None => format!("{command}: "),
    };
    visible(format!("{place}{severity}: {message}\n"))
}

/// Replaces control characters by their escapes. Messages quote files and options, which must not
/// control the terminal.
pub fn visible(text: String) -> String {
    let is_hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_hidden) {
        return text;
    }
    let escaped = |c: char| match is_hidden(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_located_error_reads_like_clangs() {
        let message = "kernel name 'K' is used by two different kernels";
        let text = Diagnostic::error(Code::Error(201), message)
            .at(Location::new("a.cpp", 3, 5))
            .note_at(Location::new("b.cpp", 7, 9), "the other kernel is here")
            .render();
        assert_eq!(
            text,
            "a.cpp:3:5: error: kernel name 'K' is used by two different kernels [scythe-E0201]\n\
             b.cpp:7:9: note: the other kernel is here\n"
        );
    }

    #[test]
    fn without_a_location_there_is_only_the_severity() {
        assert_eq!(Diagnostic::foreign(Severity::Error, "text").render(), "error: text\n");
        assert_eq!(
            Diagnostic::warning("text").note("why").render_as("scythe"),
            "scythe: warning: text\nscythe: note: why\n"
        );
    }

    #[test]
    fn quoted_text_does_not_control_the_terminal() {
        let message = "unknown option '\u{1b}[2J\r\u{9b}é'\n\tnext";
        let at = Location::file("a\u{7}.cpp");
        assert_eq!(
            Diagnostic::foreign(Severity::Error, message).at(at).render(),
            "a\\u{7}.cpp: error: unknown option '\\u{1b}[2J\\r\\u{9b}é'\n\tnext\n"
        );
    }

    #[test]
    fn unknown_parts_of_a_location_are_left_out() {
        let at = |location| Diagnostic::foreign(Severity::Error, "x").at(location).render();
        assert_eq!(at(Location::file("a.cpp")), "a.cpp: error: x\n");
        assert_eq!(at(Location::new("a.cpp", 3, 0)), "a.cpp:3: error: x\n");
        assert_eq!(at(Location::new("", 3, 4)), "error: x\n");
    }
}
