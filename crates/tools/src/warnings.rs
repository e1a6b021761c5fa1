//! What becomes of the warnings that device code causes at link: `--warning=TEXT`, where TEXT is
//! what follows `-W` on a compiler's command line.
//!
//! As with clang, what is said of one group counts more than what is said of all, and the last word
//! on either counts. Remarks become errors only where their group is named: `-Werror` leaves them
//! remarks.

use crate::Failure;
use crate::command_line::{Arguments, Opt};
use scythe_abi::warning::{Group, Reporter, Setting};
use scythe_diag::{Diagnostic, Severity};
use std::collections::HashSet;
use std::io::Write;

pub const OPTION: Opt = Opt {
    name: "warning",
    value: Some("TEXT"),
    help: "what to do about a group of warnings or remarks, as -W says it: no-sycl-external, \
        error=sycl-aot, error, …; may be repeated",
};

/// The warnings of one run of a tool.
pub struct Warnings {
    words: Vec<String>,
    /// Those told already: one function may be in several parts.
    told: HashSet<String>,
    shown: Vec<Diagnostic>,
}

impl Warnings {
    pub fn read(args: &Arguments) -> Result<Self, Failure> {
        let words: Vec<String> = args.all(OPTION.name).map(str::to_owned).collect();
        for word in &words {
            let general =
                ["error", "no-error", "everything", "no-everything"].contains(&word.as_str());
            if !general && !ours().any(|group| group.name() == group_of(word)) {
                let known: Vec<_> = ours().map(Group::name).collect();
                return Err(Failure::new(format!(
                    "'--warning={word}': expected one about {}",
                    known.join(", ")
                )));
            }
        }
        Ok(Self { words, told: HashSet::new(), shown: Vec::new() })
    }

    /// Takes note of warnings and remarks whose code is `-W` and their group.
    pub fn add(&mut self, warnings: Vec<Diagnostic>) {
        for warning in warnings {
            let group = warning.code.and_then(|code| code.strip_prefix("-W")).unwrap_or_default();
            let fate = self.fate(group, warning.severity);
            if self.told.insert(warning.message.clone()) {
                self.shown.extend(fate.map(|severity| Diagnostic { severity, ..warning }));
            }
        }
    }

    /// Whether there were some, told or not.
    pub fn any(&self) -> bool {
        !self.told.is_empty()
    }

    /// Prints the warnings; an error where one of them is to be one.
    pub fn finish(self, tool: &str) -> Result<(), Failure> {
        if self.shown.iter().any(Diagnostic::is_error) {
            return Err(Failure(self.shown));
        }
        let text: String = self.shown.iter().map(|warning| warning.render_as(tool)).collect();
        // Without standard error there is nobody to tell.
        let _ = std::io::stderr().write_all(text.as_bytes());
        Ok(())
    }

    /// How a group's diagnostics, by themselves of severity `plain`, are shown; `None` where they
    /// are not.
    fn fate(&self, group: &str, plain: Severity) -> Option<Severity> {
        let (mut own, mut own_error, mut error, mut all) = (None, None, false, true);
        for word in &self.words {
            match word.as_str() {
                "error" => error = true,
                "no-error" => error = false,
                "everything" => all = true,
                "no-everything" => all = false,
                word if group_of(word) == group => match Setting::divide(word).0 {
                    Setting::On => own = Some(true),
                    Setting::Off => own = Some(false),
                    Setting::Error => (own, own_error) = (Some(true), Some(true)),
                    Setting::NoError => own_error = Some(false),
                },
                _ => {}
            }
        }
        let is_error = own_error.unwrap_or(error && plain != Severity::Remark);
        let severity = if is_error { Severity::Error } else { plain };
        own.unwrap_or(all).then_some(severity)
    }
}

/// The groups that the device link reports.
fn ours() -> impl Iterator<Item = Group> {
    Group::of(Reporter::DeviceLink)
}

fn group_of(word: &str) -> &str {
    Setting::divide(word).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::Argument;

    fn fate(words: &[&str]) -> Result<Option<Severity>, String> {
        let words = words.iter().map(|&word| Argument::Option(OPTION.name, word.to_owned()));
        let warnings =
            Warnings::read(&Arguments(words.collect())).map_err(|failure| failure.to_string())?;
        Ok(warnings.fate(Group::External.name(), Severity::Warning))
    }

    fn remark(words: &[&str]) -> Option<Severity> {
        let words = words.iter().map(|&word| Argument::Option(OPTION.name, word.to_owned()));
        Warnings::read(&Arguments(words.collect()))
            .unwrap()
            .fate(Group::Aot.name(), Severity::Remark)
    }

    #[test]
    fn remarks_become_errors_only_by_name() {
        assert_eq!(remark(&[]), Some(Severity::Remark));
        assert_eq!(remark(&["error"]), Some(Severity::Remark));
        assert_eq!(remark(&["error=sycl-aot"]), Some(Severity::Error));
        assert_eq!(remark(&["error=sycl-aot", "no-error=sycl-aot"]), Some(Severity::Remark));
        assert_eq!(remark(&["no-sycl-aot"]), None);
        assert_eq!(remark(&["no-everything"]), None);
        assert_eq!(remark(&["no-sycl-external"]), Some(Severity::Remark));
    }

    #[test]
    fn the_last_word_counts_and_that_on_the_group_most() {
        let (warning, error) = (Ok(Some(Severity::Warning)), Ok(Some(Severity::Error)));
        assert_eq!(fate(&[]), warning);
        assert_eq!(fate(&["no-sycl-external"]), Ok(None));
        assert_eq!(fate(&["no-sycl-external", "sycl-external"]), warning);
        assert_eq!(fate(&["no-everything"]), Ok(None));
        assert_eq!(fate(&["error"]), error);
        assert_eq!(fate(&["error", "no-error=sycl-external"]), warning);
        assert_eq!(fate(&["no-error=sycl-external", "error"]), warning);
        assert_eq!(fate(&["no-sycl-external", "error=sycl-external"]), error);
        assert_eq!(fate(&["error", "no-sycl-external"]), Ok(None));
        let unknown = fate(&["no-unused"]).unwrap_err();
        assert_eq!(
            unknown,
            "error: '--warning=no-unused': expected one about sycl-external, sycl-aot"
        );
    }

    #[test]
    fn a_warning_is_told_once() {
        let mut warnings = Warnings::read(&Arguments::default()).unwrap();
        let one = || Diagnostic::warning("text").code(Group::External.option());
        warnings.add(vec![one().note("from here")]);
        warnings.add(vec![one().note("from there")]);
        assert_eq!(warnings.shown, [one().note("from here")]);
        assert!(warnings.any());
    }
}
