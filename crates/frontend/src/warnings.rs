//! `-W` options for the plug-in's own warnings, which clang does not know. The driver hands their
//! text on as plug-in arguments `warning=…`: `no-sycl-device-has`, `error=sycl-device-has` and so
//! on. `#pragma clang diagnostic` in the source goes before them.

use scythe_abi::warning::{Group, Reporter, Setting};

use crate::facts::Loc;

/// What becomes of a group's warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Ignored = 3,
    /// A warning, or an error with `-Werror`.
    Warning = 0,
    /// An error, whatever `-Werror` says.
    Error = 1,
    /// A warning, also with `-Werror`.
    NeverError = 2,
}

/// The groups that the plug-in reports.
fn ours() -> impl Iterator<Item = Group> {
    Group::of(Reporter::DevicePass)
}

/// Texts after `-W`, in the order given; the last one about a group counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings(Vec<(Group, Setting)>);

impl Warnings {
    /// Takes in the text of one more option; the message names what is wrong with it.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let (setting, name) = Setting::divide(text);
        let known = || {
            let names: Vec<_> = ours().map(|group| format!("'{}'", group.name())).collect();
            names.join(" or ")
        };
        let group = ours().find(|group| group.name() == name);
        let group = group.ok_or_else(|| {
            format!("scythe plug-in: unknown warning '{name}'; expected {}", known())
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

/// What `#pragma clang diagnostic` says of our groups, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pragmas(Vec<(Loc, Pragma)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pragma {
    Push,
    Pop,
    Set(Group, Fate),
}

impl Pragmas {
    /// Takes in the text after `#pragma` at `loc`; true where it is about one of our groups, which
    /// clang does not know.
    pub fn add(&mut self, loc: Loc, text: &str) -> bool {
        let Some(pragma) = Pragma::parse(text) else { return false };
        self.0.push((loc, pragma));
        matches!(pragma, Pragma::Set(..))
    }

    /// What becomes of a warning of `group`, when the options say `otherwise`; `is_before` tells of
    /// a place whether it comes before the warning's.
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
    /// Reads `clang diagnostic ignored "-Wsycl-device-has"` and its kin.
    fn parse(text: &str) -> Option<Self> {
        let rest = text.trim_start();
        let rest = rest.strip_prefix("clang").or_else(|| rest.strip_prefix("GCC"))?;
        let rest = rest.trim_start().strip_prefix("diagnostic")?.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let fate = match &rest[..end] {
            "push" => return Some(Self::Push),
            "pop" => return Some(Self::Pop),
            "ignored" => Fate::Ignored,
            // As for clang's groups, -Werror does not hold for what a pragma makes a warning.
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
            message,
            "scythe plug-in: unknown warning 'colour'; expected 'sycl-device-has' or \
             'sycl-fixed-targets'"
        );
    }
}
