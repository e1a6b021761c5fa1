//! Decides which thread runs kernels that were compiled for debuggers.
//!
//! With a debugger, a launch runs on the thread that submits it, if nothing has to run before it.
//! The call stack of a kernel then contains the line that submitted it. Without a debugger, or with
//! [`CPU_SERIAL`] set to `never`, worker threads run these kernels like all others.

use std::sync::OnceLock;

use scythe_abi::environment::CPU_SERIAL;
use scythe_hal::{Errc, Error, Result};

/// The value of [`CPU_SERIAL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// While a debugger is attached to the process.
    Auto,
    Always,
    Never,
}

impl Mode {
    fn parse(setting: Option<&str>) -> Result<Self> {
        match setting.map(str::trim) {
            None | Some("" | "auto") => Ok(Self::Auto),
            Some("always") => Ok(Self::Always),
            Some("never") => Ok(Self::Never),
            Some(other) => Err(Error::new(Errc::Invalid, CPU_SERIAL.refusal(other))),
        }
    }

    /// Returns the mode of this process. Reports an error if the setting is invalid.
    pub(crate) fn of_process() -> Result<Self> {
        static MODE: OnceLock<Result<Mode>> = OnceLock::new();
        let read = || {
            let text =
                std::env::var_os(CPU_SERIAL.name).map(|text| text.to_string_lossy().into_owned());
            Self::parse(text.as_deref())
        };
        MODE.get_or_init(read).clone()
    }
}

/// Returns whether a launch of a kernel that was compiled for debuggers runs on the thread that
/// submits it.
pub(crate) fn runs_at_submission() -> bool {
    match Mode::of_process() {
        Ok(Mode::Auto) => is_traced(),
        Ok(Mode::Always) => true,
        Ok(Mode::Never) | Err(_) => false,
    }
}

/// Returns whether a debugger is attached to the process.
fn is_traced() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    tracer(&status).is_some()
}

/// Returns the process that traces this one, from the text of `/proc/self/status`.
fn tracer(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?;
    line.trim().parse().ok().filter(|&process| process != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_strictly() {
        assert_eq!(Mode::parse(None), Ok(Mode::Auto));
        assert_eq!(Mode::parse(Some(" always ")), Ok(Mode::Always));
        assert_eq!(Mode::parse(Some("never")), Ok(Mode::Never));
        let error = Mode::parse(Some("yes")).unwrap_err();
        assert!(error.message.contains("SCYTHE_CPU_SERIAL is 'yes', expected"), "{error}");
    }

    #[test]
    fn tracers_are_found() {
        assert_eq!(tracer("Name:\tx\nTracerPid:\t0\n"), None);
        assert_eq!(tracer("Name:\tx\nTracerPid:\t17\nUid:\t0\n"), Some(17));
        assert_eq!(tracer(""), None);
    }
}
