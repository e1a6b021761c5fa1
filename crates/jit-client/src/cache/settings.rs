//! The settings of the cache in the environment: on or off, folder, size limit, and tracing.
//!
//! The variables have the names and meanings that SYCL users know from DPC++, except that the cache
//! is on by default. An invalid value is an error that names the variable, the value and the
//! expected values. If the folder cannot be used, there is no cache: see `folder`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use scythe_abi::environment::{CACHE_DIR, CACHE_MAX_SIZE, CACHE_PERSISTENT, CACHE_TRACE, Variable};
use scythe_hal::{Errc, Error, Result};
use scythe_own_files::is_privileged;

const DEFAULT_MEGABYTES: u64 = 1024;
/// The name of the cache's folder inside the user's folder for caches.
const NAME: &str = "scythe";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) location: CacheLocation,
    pub(crate) max_bytes: u64,
    pub(crate) trace: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CacheLocation {
    Folder(PathBuf),
    SwitchedOff,
    /// The environment names neither a folder for the cache nor a home folder.
    Unknown,
}

impl Settings {
    /// Reads the environment of this process.
    pub(crate) fn of_process() -> Result<Self> {
        let mut settings = Self::from(|name| std::env::var_os(name))?;
        if is_privileged() {
            // The caller of a set-user-ID program controls its environment, and must not choose the
            // code that it runs.
            settings.location = CacheLocation::SwitchedOff;
        }
        Ok(settings)
    }

    /// Reads the values that `get` returns. An empty value counts as none.
    pub(crate) fn from(get: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let value = |name: &str| get(name).filter(|value| !value.is_empty());
        let trace = match value(CACHE_TRACE.name) {
            None => false,
            Some(text) => {
                let mask = text.to_str().and_then(bit_mask);
                mask.ok_or_else(|| bad(&CACHE_TRACE, &text))? & 1 != 0
            }
        };
        let max_bytes = match value(CACHE_MAX_SIZE.name) {
            None => DEFAULT_MEGABYTES << 20,
            Some(text) => match text.to_str().and_then(|text| text.trim().parse::<u64>().ok()) {
                Some(0) => u64::MAX,
                Some(megabytes) => megabytes.saturating_mul(1 << 20),
                None => return Err(bad(&CACHE_MAX_SIZE, &text)),
            },
        };
        let on = match value(CACHE_PERSISTENT.name) {
            None => true,
            Some(text) if text == "1" => true,
            Some(text) if text == "0" => false,
            Some(text) => return Err(bad(&CACHE_PERSISTENT, &text)),
        };
        // The XDG base directory specification requires that relative folders are ignored.
        let absolute =
            |name: &str| value(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = value(CACHE_DIR.name)
            .map(|folder| std::path::absolute(&folder).unwrap_or_else(|_| folder.into()))
            .or_else(|| absolute("XDG_CACHE_HOME").map(|caches| caches.join(NAME)))
            .or_else(|| absolute("HOME").map(|home| home.join(".cache").join(NAME)));
        let location = if on {
            folder.map_or(CacheLocation::Unknown, CacheLocation::Folder)
        } else {
            CacheLocation::SwitchedOff
        };
        Ok(Self { location, max_bytes, trace })
    }

    #[cfg(test)]
    pub(crate) fn for_folder(folder: &std::path::Path, max_bytes: u64) -> Self {
        Self { location: CacheLocation::Folder(folder.to_owned()), max_bytes, trace: false }
    }
}

fn bit_mask(text: &str) -> Option<u32> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn bad(variable: &Variable, value: &OsStr) -> Error {
    Error::new(Errc::Invalid, variable.refusal(&value.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(values: &[(&str, &str)]) -> Result<Settings> {
        Settings::from(|name| {
            values.iter().find(|(n, _)| *n == name).map(|(_, value)| value.into())
        })
    }

    fn location(values: &[(&str, &str)]) -> CacheLocation {
        settings(values).unwrap().location
    }

    #[test]
    fn folder_is_the_named_one_or_the_users() {
        let folder = |path: &str| CacheLocation::Folder(path.into());
        let home = ("HOME", "/home/u");
        assert_eq!(location(&[]), CacheLocation::Unknown);
        assert_eq!(location(&[home]), folder("/home/u/.cache/scythe"));
        assert_eq!(location(&[home, ("XDG_CACHE_HOME", "/caches")]), folder("/caches/scythe"));
        assert_eq!(
            location(&[home, ("XDG_CACHE_HOME", "caches")]),
            folder("/home/u/.cache/scythe")
        );
        assert_eq!(
            location(&[home, ("SYCL_CACHE_DIR", "/c"), ("XDG_CACHE_HOME", "/caches")]),
            folder("/c")
        );
        assert_eq!(location(&[home, ("SYCL_CACHE_DIR", "")]), folder("/home/u/.cache/scythe"));
        assert_eq!(location(&[("HOME", "nowhere")]), CacheLocation::Unknown);
        let here = std::env::current_dir().unwrap().join("near");
        assert_eq!(location(&[("SYCL_CACHE_DIR", "near")]), CacheLocation::Folder(here));
    }

    #[test]
    fn switch_size_and_trace() {
        assert_eq!(
            location(&[("SYCL_CACHE_DIR", "/c"), (CACHE_PERSISTENT.name, "0")]),
            CacheLocation::SwitchedOff
        );
        assert_eq!(
            location(&[("SYCL_CACHE_DIR", "/c"), (CACHE_PERSISTENT.name, "1")]),
            CacheLocation::Folder("/c".into())
        );
        let bytes = |text| settings(&[(CACHE_MAX_SIZE.name, text)]).unwrap().max_bytes;
        assert_eq!((bytes(""), bytes("3"), bytes("0")), (1 << 30, 3 << 20, u64::MAX));
        assert_eq!(bytes("18446744073709551615"), u64::MAX);
        let trace = |text| settings(&[(CACHE_TRACE.name, text)]).unwrap().trace;
        assert!(trace("1") && trace("0x7") && trace("0X1") && trace(" 5 "));
        assert!(!trace("") && !trace("0") && !trace("2"));
    }

    #[test]
    fn senseless_values_are_errors_that_name_them() {
        let bad = [
            (CACHE_PERSISTENT.name, "yes"),
            (CACHE_PERSISTENT.name, "2"),
            (CACHE_MAX_SIZE.name, "-1"),
            (CACHE_MAX_SIZE.name, "1G"),
            (CACHE_MAX_SIZE.name, "99999999999999999999"),
            (CACHE_TRACE.name, "on"),
            (CACHE_TRACE.name, "0x"),
        ];
        for (name, value) in bad {
            let error = settings(&[(name, value)]).unwrap_err();
            assert_eq!(error.code, Errc::Invalid);
            assert!(
                error
                    .message
                    .starts_with(&format!("environment variable {name} is '{value}', expected ")),
                "{error}"
            );
        }
    }
}
