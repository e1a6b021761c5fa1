//! `-W` options for the warnings of the plug-in, of the device link and of the driver. clang does
//! not know these warnings and would complain about the options. The device pass and the device
//! link get the options for their own warnings, in their own form; other steps get none.

use scythe_diag::warning::{Group, Reporter, Setting};

use crate::flags::Steps;

/// Returns the word that a step gets for a word of the command line, or `None` if the step must not
/// get it.
pub fn for_step(word: &str, step: Steps) -> Option<String> {
    match about(word) {
        None => Some(word.to_owned()),
        Some((text, Reporter::DevicePass)) if step == Steps::DEVICE => {
            Some(format!("-fplugin-arg-scythe-warning={text}"))
        }
        Some(_) => None,
    }
}

/// Returns the word that the device link gets for a word of the command line, or `None` if the word
/// does not affect warnings of the device link.
pub fn for_device_link(word: &str) -> Option<String> {
    let text = match word {
        "-w" => "no-everything",
        "-Werror" | "-Wno-error" | "-Weverything" | "-Wno-everything" => &word[2..],
        _ => about(word).filter(|(_, reporter)| *reporter == Reporter::DeviceLink)?.0,
    };
    Some(format!("--warning={text}"))
}

/// What the driver does about a warning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Ignored,
    Warning,
    Error,
}

/// Returns what the words of a command line request for a group of the driver, which is about
/// options without effect, in whole or in part. Options that disable all warnings, or clang's
/// warnings about such options, also disable Scythe's. `-Werror` alone does not change it, because
/// the options do no harm.
pub fn fate<'a>(group: Group, words: impl Iterator<Item = &'a str>) -> Fate {
    let (mut own, mut others, mut error) = (None, true, false);
    for word in words {
        match word {
            "-w" | "-Wno-everything" | "-Qunused-arguments" | "-Wno-option-ignored" => {
                others = false;
            }
            "-Wno-unused-command-line-argument" => others = false,
            "-Woption-ignored" | "-Wunused-command-line-argument" => others = true,
            _ => {}
        }
        let Some((text, Reporter::Driver)) = about(word) else { continue };
        let (setting, name) = Setting::divide(text);
        if name != group.name() {
            continue;
        }
        match setting {
            Setting::On => own = Some(true),
            Setting::Off => own = Some(false),
            Setting::Error => (own, error) = (Some(true), true),
            Setting::NoError => error = false,
        }
    }
    match own.unwrap_or(others) {
        false => Fate::Ignored,
        true if error => Fate::Error,
        true => Fate::Warning,
    }
}

/// Returns the text after `-W` if it names one of Scythe's groups, and the step that reports the
/// group.
fn about(word: &str) -> Option<(&str, Reporter)> {
    let text = word.strip_prefix("-W")?;
    let (_, name) = Setting::divide(text);
    Some((text, Group::from_name(name)?.reporter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plug_in_is_told_of_its_own_warnings_only() {
        let device = |word| for_step(word, Steps::DEVICE);
        assert_eq!(
            device("-Wno-error=sycl-device-has").as_deref(),
            Some("-fplugin-arg-scythe-warning=no-error=sycl-device-has")
        );
        assert_eq!(
            device("-Wsycl-fixed-targets").as_deref(),
            Some("-fplugin-arg-scythe-warning=sycl-fixed-targets")
        );
        assert_eq!(for_step("-Wno-sycl-device-has", Steps::HOST), None);
        for word in [
            "-Wall",
            "-Wno-sycl-unheard-of",
            "-Werror",
            "-Wl,sycl-device-has",
            "a.cpp",
            "-Wno-error=unused",
        ] {
            assert_eq!(device(word).as_deref(), Some(word));
        }
    }

    #[test]
    fn options_without_effect_are_warned_about_unless_disabled() {
        let of = |line: &str| fate(Group::IgnoredOption, line.split_whitespace());
        assert_eq!(of("-O2"), Fate::Warning);
        assert_eq!(of("-Werror"), Fate::Warning);
        for word in ["-w", "-Qunused-arguments", "-Wno-sycl-ignored-option", "-Wno-option-ignored"]
        {
            assert_eq!(of(word), Fate::Ignored, "{word}");
        }
        assert_eq!(of("-w -Wsycl-ignored-option"), Fate::Warning);
        assert_eq!(of("-Werror=sycl-ignored-option"), Fate::Error);
        assert_eq!(of("-Werror=sycl-ignored-option -Wno-error=sycl-ignored-option"), Fate::Warning);
        for step in [Steps::DEVICE, Steps::HOST, Steps::FOREIGN] {
            assert_eq!(for_step("-Wno-sycl-ignored-option", step), None);
        }
        assert_eq!(for_device_link("-Wno-sycl-ignored-option"), None);
    }

    #[test]
    fn the_device_link_is_told_of_its_own_warnings_and_of_all() {
        let told = |word| for_device_link(word);
        assert_eq!(told("-Wno-sycl-external").as_deref(), Some("--warning=no-sycl-external"));
        assert_eq!(told("-Werror=sycl-external").as_deref(), Some("--warning=error=sycl-external"));
        assert_eq!(told("-Werror").as_deref(), Some("--warning=error"));
        assert_eq!(told("-w").as_deref(), Some("--warning=no-everything"));
        for word in ["-Wall", "-Wno-sycl-device-has", "-Werror=unused", "a.cpp", "-Wl,-w"] {
            assert_eq!(told(word), None);
        }
        for step in [Steps::DEVICE, Steps::HOST, Steps::LINK] {
            assert_eq!(for_step("-Wno-sycl-external", step), None);
        }
    }
}
