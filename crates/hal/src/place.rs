//! The position in the source from which the program submitted a command, and messages that name
//! it.

use std::fmt;

use crate::Error;
use crate::demangle::symbol_name;

/// A position in the program's source. It stays valid when the library that contains the submitting
/// code is unloaded: the runtime keeps the name of each source file once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: &'static str,
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Error {
    /// Adds to the message what it does not tell: the kernel of the command, by its name or symbol,
    /// and the position of the command's submission.
    #[must_use]
    pub fn of_command(mut self, kernel: Option<&str>, place: Option<Place>) -> Self {
        let tells = |name: &str| self.message.contains(&format!("'{name}'"));
        let kernel = kernel.filter(|kernel| !tells(kernel) && !tells(&symbol_name(kernel)));
        let kernel = kernel.map(|kernel| format!("kernel '{kernel}'"));
        let place = place.map(|place| format!("submitted at {place}"));
        let facts: Vec<String> = [kernel, place].into_iter().flatten().collect();
        if facts.is_empty() {
            return self;
        }
        let message = self.message.trim_end();
        let facts = facts.join(", ");
        // A message with several lines ends with the log of a compiler.
        self.message = match message.contains('\n') {
            true => format!("{message}\n{facts}"),
            false => format!("{message} ({facts})"),
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Errc;

    const PLACE: Place = Place { file: "a.cpp", line: 12 };

    fn message(text: &str, kernel: Option<&str>, place: Option<Place>) -> String {
        Error::new(Errc::Runtime, text).of_command(kernel, place).message
    }

    #[test]
    fn kernel_and_place_are_added() {
        assert_eq!(message("lost", None, None), "lost");
        assert_eq!(message("lost", Some("K"), None), "lost (kernel 'K')");
        assert_eq!(
            message("lost", Some("K"), Some(PLACE)),
            "lost (kernel 'K', submitted at a.cpp:12)"
        );
    }

    #[test]
    fn a_kernel_is_named_once() {
        assert_eq!(
            message("kernel 'K' is lost", Some("K"), Some(PLACE)),
            "kernel 'K' is lost (submitted at a.cpp:12)"
        );
    }

    #[test]
    fn facts_follow_the_log_of_a_compiler() {
        assert_eq!(
            message("failed:\nline 1\n", Some("K"), Some(PLACE)),
            "failed:\nline 1\nkernel 'K', submitted at a.cpp:12"
        );
    }
}
