//! Handles the warnings of the device link. `--warning=TEXT` controls them, with the text after
//! `-W` on a compiler's command line.
//!
//! As in clang, a setting for a group overrides a setting for all groups, and the last setting of
//! each kind counts. Remarks become errors only if a setting names their group: `-Werror` does not
//! change them.

use crate::Failure;
use crate::command_line::{Arguments, Opt};
use crate::errors::BadValue;
use scythe_diag::warning::{Group, Reporter, Setting};
use scythe_diag::{Code, Diagnostic, Severity};
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
    /// The messages of all warnings so far. A function may be in several parts.
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
                let (value, expected) = (word.clone(), format!("one about {}", known.join(", ")));
                return Err(Failure::new(&BadValue { option: OPTION.name, value, expected }));
            }
        }
        Ok(Self { words, told: HashSet::new(), shown: Vec::new() })
    }

    /// Adds warnings and remarks whose codes are groups.
    pub fn add(&mut self, warnings: Vec<Diagnostic>) {
        for warning in warnings {
            let fate = match warning.code {
                Some(Code::Warning(group)) => self.fate(group, warning.severity),
                Some(Code::Error(_)) | None => Some(warning.severity),
            };
            if self.told.insert(warning.message.clone()) {
                self.shown.extend(fate.map(|severity| Diagnostic { severity, ..warning }));
            }
        }
    }

    /// Whether there were warnings, including disabled ones.
    pub fn any(&self) -> bool {
        !self.told.is_empty()
    }

    /// Prints the warnings. Fails if a setting makes one of them an error.
    pub fn finish(self, tool: &str) -> Result<(), Failure> {
        if self.shown.iter().any(Diagnostic::is_error) {
            return Err(Failure(self.shown));
        }
        let text: String = self.shown.iter().map(|warning| warning.render_as(tool)).collect();
        // Nothing can be reported if standard error is closed.
        let _ = std::io::stderr().write_all(text.as_bytes());
        Ok(())
    }

    /// Returns the severity of a group's diagnostics, whose default severity is `plain`, or `None`
    /// if they are disabled.
    fn fate(&self, group: Group, plain: Severity) -> Option<Severity> {
        let (mut own, mut own_error, mut error, mut all) = (None, None, false, true);
        for word in &self.words {
            match word.as_str() {
                "error" => error = true,
                "no-error" => error = false,
                "everything" => all = true,
                "no-everything" => all = false,
                word if group_of(word) == group.name() => match Setting::divide(word).0 {
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
        Ok(warnings.fate(Group::External, Severity::Warning))
    }

    fn remark(words: &[&str]) -> Option<Severity> {
        let words = words.iter().map(|&word| Argument::Option(OPTION.name, word.to_owned()));
        Warnings::read(&Arguments(words.collect())).unwrap().fate(Group::Aot, Severity::Remark)
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
            "error: '--warning=no-unused': expected one about sycl-external, sycl-aot \
             [scythe-E0307]"
        );
    }

    #[test]
    fn a_warning_is_told_once() {
        let mut warnings = Warnings::read(&Arguments::default()).unwrap();
        let one = || Diagnostic::warning("text").code(Code::Warning(Group::External));
        warnings.add(vec![one().note("from here")]);
        warnings.add(vec![one().note("from there")]);
        assert_eq!(warnings.shown, [one().note("from here")]);
        assert!(warnings.any());
    }
}
