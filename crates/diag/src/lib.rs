//! Diagnostics as values: what is wrong, where, under which stable code, and which notes explain
//! it.
//!
//! Whoever finds a fault makes a [`Diagnostic`]; whoever owns standard error prints
//! [`Diagnostic::render`]. The text is in clang's format, so that editors and build systems that
//! know clang's messages know these:
//!
//! ```text
//! a.cpp:3:5: error: kernel name 'K' is used by two different kernels [scythe-E0201]
//! b.cpp:7:9: note: the other kernel is here
//! ```

#![forbid(unsafe_code)]

use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Remark,
    Warning,
    /// The output is not made.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Remark => "remark",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A place in a file. Lines and columns count from 1; 0 means that it is not known.
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

    /// A place in a file that is not known more exactly.
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

/// A remark that belongs to a diagnostic: a step of a call chain, the other of two definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub location: Option<Location>,
    pub message: String,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Stable across versions, such as `scythe-E0201`; see [`codes`].
    pub code: Option<&'static str>,
    pub location: Option<Location>,
    pub message: String,
    pub notes: Vec<Note>,
}

impl Diagnostic {
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self { severity, code: None, location: None, message: message.into(), notes: Vec::new() }
    }

    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// The same diagnostic with a code.
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// The same diagnostic with a location. A location without a file is none.
    pub fn at(mut self, location: Location) -> Self {
        self.location = known(location);
        self
    }

    /// The same diagnostic with one more note.
    pub fn note(mut self, message: impl Into<String>) -> Self {
        self.notes.push(Note { location: None, message: message.into() });
        self
    }

    /// The same diagnostic with one more note that has a location.
    pub fn note_at(mut self, location: Location, message: impl Into<String>) -> Self {
        self.notes.push(Note { location: known(location), message: message.into() });
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The text to print, each line with its end.
    pub fn render(&self) -> String {
        self.render_as("")
    }

    /// Like [`Diagnostic::render`], for a command: its name stands where the location would, where
    /// there is none.
    pub fn render_as(&self, command: &str) -> String {
        let mut out = line(
            self.location.as_ref(),
            command,
            &self.severity.to_string(),
            &self.message,
            self.code,
        );
        for note in &self.notes {
            out.push_str(&line(note.location.as_ref(), command, "note", &note.message, None));
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

fn known(location: Location) -> Option<Location> {
    Some(location).filter(|location| !location.file.is_empty())
}

fn line(
    location: Option<&Location>,
    command: &str,
    severity: &str,
    message: &str,
    code: Option<&str>,
) -> String {
    let place = match location {
        Some(location) => format!("{location}: "),
        None if command.is_empty() => String::new(),
        None => format!("{command}: "),
    };
    let code = code.map(|code| format!(" [{code}]")).unwrap_or_default();
    format!("{place}{severity}: {message}{code}\n")
}

pub mod codes {
    //! The codes of diagnostics that come from linking device code. Front-end codes live with the
    //! front end. A code is never given to another fault.

    /// One kernel name stands for two different kernels.
    pub const KERNEL_NAME_CONFLICT: &str = "scythe-E0201";
    /// A kernel needs a symbol that no input defines.
    pub const UNDEFINED_DEVICE_SYMBOL: &str = "scythe-E0202";
    /// Device modules cannot be linked.
    pub const DEVICE_LINK: &str = "scythe-E0203";
    /// A device module's launch rows are missing or damaged.
    pub const LAUNCH_ROWS: &str = "scythe-E0204";
    /// Kernels that use a variable of one image are in several.
    pub const IMAGE_SCOPE: &str = "scythe-E0205";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_located_error_reads_like_clangs() {
        let text = Diagnostic::error("kernel name 'K' is used by two different kernels")
            .code(codes::KERNEL_NAME_CONFLICT)
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
        assert_eq!(Diagnostic::error("text").render(), "error: text\n");
        assert_eq!(
            Diagnostic::warning("text").note("why").render_as("scythe"),
            "scythe: warning: text\nscythe: note: why\n"
        );
    }

    #[test]
    fn unknown_parts_of_a_location_are_left_out() {
        let at = |location| Diagnostic::error("x").at(location).render();
        assert_eq!(at(Location::file("a.cpp")), "a.cpp: error: x\n");
        assert_eq!(at(Location::new("a.cpp", 3, 0)), "a.cpp:3: error: x\n");
        assert_eq!(at(Location::new("", 3, 4)), "error: x\n");
    }
}
