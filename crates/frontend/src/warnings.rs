//! `-W` options for the plug-in's own warnings, which clang does not know. The driver hands their text on as plug-in arguments
//! `warning=…`: `no-sycl-device-has`, `error=sycl-device-has` and so on.

use scythe_passes::aspects::warning::Group;

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

/// Texts after `-W`, in the order given; the last one about a group counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings(Vec<(Group, Word)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    On,
    Off,
    Error,
    NoError,
}

impl Warnings {
    /// Takes in the text of one more option; the message names what is wrong with it.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let (word, name) = [("no-error=", Word::NoError), ("error=", Word::Error), ("no-", Word::Off)]
            .into_iter()
            .find_map(|(prefix, word)| Some((word, text.strip_prefix(prefix)?)))
            .unwrap_or((Word::On, text));
        let known = || Group::ALL.map(|group| format!("'{}'", group.flag())).join(" or ");
        let group = Group::ALL.into_iter().find(|group| group.flag() == name);
        let group = group.ok_or_else(|| format!("scythe plug-in: unknown warning '{name}'; expected {}", known()))?;
        self.0.push((group, word));
        Ok(())
    }

    pub fn fate(&self, group: Group) -> Fate {
        let (mut on, mut error) = (true, Fate::Warning);
        for (_, word) in self.0.iter().filter(|(of, _)| *of == group) {
            match word {
                Word::On => on = true,
                Word::Off => on = false,
                Word::Error => (on, error) = (true, Fate::Error),
                Word::NoError => error = Fate::NeverError,
            }
        }
        if on { error } else { Fate::Ignored }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "scythe plug-in: unknown warning 'colour'; expected 'sycl-device-has' or 'sycl-fixed-targets'"
        );
    }
}
