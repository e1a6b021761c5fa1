//! `-W` options for warnings of the plug-in and of the device link, which clang does not know and
//! would complain about: the device pass and the device link get those that are theirs, in their
//! own form, other steps none.

use scythe_abi::warning::{Group, Reporter, Setting};

use crate::flags::Steps;

/// The word that a step gets for a word of the command line; `None` where it gets none.
pub fn for_step(word: &str, step: Steps) -> Option<String> {
    match about(word) {
        None => Some(word.to_owned()),
        Some((text, Reporter::DevicePass)) if step == Steps::DEVICE => {
            Some(format!("-fplugin-arg-scythe-warning={text}"))
        }
        Some(_) => None,
    }
}

/// The word that the device link gets for a word of the command line; `None` where it is not about
/// warnings of a device link.
pub fn for_device_link(word: &str) -> Option<String> {
    let text = match word {
        "-w" => "no-everything",
        "-Werror" | "-Wno-error" | "-Weverything" | "-Wno-everything" => &word[2..],
        _ => about(word).filter(|(_, reporter)| *reporter == Reporter::DeviceLink)?.0,
    };
    Some(format!("--warning={text}"))
}

/// The text after `-W` if it is about one of our groups, and the step that reports the group.
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
