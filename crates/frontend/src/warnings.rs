//! `-W` options and pragmas for the warnings of the plug-in, which clang does not know. The driver
//! passes the options as plug-in arguments `warning=…`, such as `no-sycl-device-has` and
//! `error=sycl-device-has`. `#pragma clang diagnostic` in the source has precedence.

use scythe_diag::Diagnostic;
use scythe_diag::warning::{Group, Reporter, Setting};

use crate::errors::parts::PluginArgument;
use crate::facts::Loc;
use crate::options::wrong;

/// The effect of the warnings of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Ignored,
    /// A warning, or an error with `-Werror`.
    Warning,
    /// An error, with or without `-Werror`.
    Error,
    /// A warning, even with `-Werror`.
    NeverError,
}

/// The groups that the plug-in reports.
fn ours() -> impl Iterator<Item = Group> {
    Group::of(Reporter::DevicePass)
}

/// The `-W` options in the order of the command line. The last option for a group counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings(Vec<(Group, Setting)>);

impl Warnings {
    /// Adds the text of an option. The error names the unknown group.
    pub fn add(&mut self, text: &str) -> Result<(), Diagnostic<Loc>> {
        let (setting, name) = Setting::divide(text);
        let group = ours().find(|group| group.name() == name).ok_or_else(|| {
            let known = ours().map(Group::name).collect();
            wrong(PluginArgument::WarningGroup { group: name.to_owned(), known })
        })?;
        self.0.push((group, setting));
        Ok(())
    }

    pub fn fate(&self, group: Group) -> Fate {
        let (mut on, mut error) = (true, Fate::Warning);
        for (_, setting) in self.0.iter().filter(|(of, _)| *of == group) {
            match setting {
                Setting::On => on = true,
                Setting::Off => on = false,
                Setting::Error => (on, error) = (true, Fate::Error),
                Setting::NoError => error = Fate::NeverError,
            }
        }
        if on { error } else { Fate::Ignored }
    }
}

/// The `#pragma clang diagnostic` lines for Scythe's groups, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pragmas(Vec<(Loc, Pragma)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pragma {
    Push,
    Pop,
    Set(Group, Fate),
}

impl Pragmas {
    /// Adds the text after `#pragma` at `loc`. Returns true if the pragma concerns one of Scythe's
    /// groups, which clang does not know.
    pub fn add(&mut self, loc: Loc, text: &str) -> bool {
        let Some(pragma) = Pragma::parse(text) else { return false };
        self.0.push((loc, pragma));
        matches!(pragma, Pragma::Set(..))
    }

    /// Returns the effect of a warning of `group`. Without a pragma, it is `otherwise`, from the
    /// options. `is_before` tests whether a location is before the location of the warning.
    pub fn fate(&self, group: Group, otherwise: Fate, is_before: impl Fn(Loc) -> bool) -> Fate {
        let (mut fate, mut outer) = (otherwise, Vec::new());
        for (_, pragma) in self.0.iter().take_while(|(loc, _)| is_before(*loc)) {
            match *pragma {
                Pragma::Push => outer.push(fate),
                Pragma::Pop => fate = outer.pop().unwrap_or(fate),
                Pragma::Set(of, new) if of == group => fate = new,
                Pragma::Set(..) => {}
            }
        }
        fate
    }
}

impl Pragma {
    /// Parses a pragma such as `clang diagnostic ignored "-Wsycl-device-has"`.
    fn parse(text: &str) -> Option<Self> {
        let rest = text.trim_start();
        let rest = rest.strip_prefix("clang").or_else(|| rest.strip_prefix("GCC"))?;
        let rest = rest.trim_start().strip_prefix("diagnostic")?.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let fate = match &rest[..end] {
            "push" => return Some(Self::Push),
            "pop" => return Some(Self::Pop),
            "ignored" => Fate::Ignored,
            // As for clang's groups, `-Werror` has no effect on a warning that a pragma sets.
            "warning" => Fate::NeverError,
            "error" | "fatal" => Fate::Error,
            _ => return None,
        };
        let name = rest[end..].trim_start().strip_prefix("\"-W")?;
        let name = &name[..name.find('"')?];
        let group = ours().find(|group| group.name() == name)?;
        Some(Self::Set(group, fate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_hold_from_where_they_stand_to_the_pop() {
        let mut pragmas = Pragmas::default();
        for (loc, text, ours) in [
            (10, "clang diagnostic push", false),
            (20, " clang  diagnostic ignored \"-Wsycl-device-has\" // why", true),
            (30, "GCC diagnostic error \"-Wsycl-fixed-targets\"", true),
            (40, "clang diagnostic ignored \"-Wunused\"", false),
            (50, "once", false),
            (60, "clang diagnostic pop", false),
            (70, "clang diagnostic pop", false),
        ] {
            assert_eq!(pragmas.add(Loc(loc), text), ours, "{text}");
        }
        let fate = |group, at| pragmas.fate(group, Fate::Warning, |loc| loc.0 < at);
        assert_eq!(fate(Group::DeviceHas, 15), Fate::Warning);
        assert_eq!(fate(Group::DeviceHas, 55), Fate::Ignored);
        assert_eq!(fate(Group::FixedTargets, 25), Fate::Warning);
        assert_eq!(fate(Group::FixedTargets, 55), Fate::Error);
        assert_eq!(fate(Group::DeviceHas, 65), Fate::Warning);
        assert_eq!(fate(Group::DeviceHas, 75), Fate::Warning);
    }

    fn fate(texts: &[&str]) -> Fate {
        let mut warnings = Warnings::default();
        texts.iter().for_each(|text| warnings.add(text).unwrap());
        warnings.fate(Group::DeviceHas)
    }

    #[test]
    fn the_last_word_counts() {
        assert_eq!(fate(&[]), Fate::Warning);
        assert_eq!(fate(&["no-sycl-device-has"]), Fate::Ignored);
        assert_eq!(fate(&["no-sycl-device-has", "sycl-device-has"]), Fate::Warning);
        assert_eq!(fate(&["no-sycl-device-has", "error=sycl-device-has"]), Fate::Error);
        assert_eq!(fate(&["error=sycl-device-has", "no-error=sycl-device-has"]), Fate::NeverError);
        assert_eq!(fate(&["error=sycl-device-has", "no-sycl-device-has"]), Fate::Ignored);
        assert_eq!(fate(&["no-sycl-fixed-targets"]), Fate::Warning);
    }

    #[test]
    fn unknown_groups_are_named() {
        let message = Warnings::default().add("no-colour").unwrap_err();
        assert_eq!(
            message.message,
            "scythe plug-in: unknown warning 'colour': expected 'sycl-device-has' or \
             'sycl-fixed-targets'"
        );
    }
}
