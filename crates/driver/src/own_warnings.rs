//! `-W` options for warnings of the plug-in, which clang does not know and would complain about: the device pass gets them as
//! arguments of the plug-in, other steps do not get them.

use crate::flags::Steps;

/// The groups of `scythe_passes::aspects::warning::Group`, which cannot be asked here: the driver does without LLVM.
const GROUPS: [&str; 2] = ["sycl-device-has", "sycl-fixed-targets"];

/// The word that a step gets for a word of the command line; `None` where it gets none.
pub fn for_step(word: &str, step: Steps) -> Option<String> {
    match own(word) {
        None => Some(word.to_owned()),
        Some(text) => (step == Steps::DEVICE).then(|| format!("-fplugin-arg-scythe-warning={text}")),
    }
}

/// What follows `-W`, where it is about a group of ours.
fn own(word: &str) -> Option<&str> {
    let text = word.strip_prefix("-W")?;
    let group = ["no-error=", "error=", "no-"].iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
    GROUPS.contains(&group).then_some(text)
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
        assert_eq!(device("-Wsycl-fixed-targets").as_deref(), Some("-fplugin-arg-scythe-warning=sycl-fixed-targets"));
        assert_eq!(for_step("-Wno-sycl-device-has", Steps::HOST), None);
        for word in ["-Wall", "-Wno-sycl-unheard-of", "-Werror", "-Wl,sycl-device-has", "a.cpp", "-Wno-error=unused"] {
            assert_eq!(device(word).as_deref(), Some(word));
        }
    }
}
