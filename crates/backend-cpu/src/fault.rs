//! Reports faults of kernels: accesses to invalid addresses, divisions by zero and traps.
//!
//! The report names the kernel, the work-item and the line of the source, as far as the kernel's
//! code has this information. A fault is passed on to the handler that the program had installed
//! before, or else ends the process as usual, with a core dump. Signals that are no faults of
//! kernels are passed on unchanged. With [`CPU_FAULTS`] set to `exception`, the command of the
//! kernel fails instead.
//!
//! * `handler`: the signal handler.
//! * `code`: the loaded code, by address, for the handler.
//! * `running`: the kernels that threads run, for the handler.
//! * `guard`: the return from a kernel that has failed.
//! * `lines`: the lines of the source, from debug information.
//! * `report`: the text.

mod code;
mod guard;
mod handler;
mod lines;
mod report;
pub(crate) mod running;
mod stack;

use std::sync::OnceLock;

use scythe_abi::environment::CPU_FAULTS;
use scythe_hal::{Errc, Error, Result};

pub(crate) use code::{CodeRange, Loaded};
pub(crate) use guard::call;
pub(crate) use lines::find as find_line;
pub(crate) use stack::{SIGNALS, SignalStack};

/// The value of [`CPU_FAULTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Print a report, and pass the signal on.
    Report,
    /// Make the command fail, if no other work-group waits for the one that failed.
    Exception,
    /// Install no handler.
    Off,
}

impl Mode {
    fn parse(setting: Option<&str>) -> Result<Self> {
        match setting.map(str::trim) {
            None | Some("" | "report") => Ok(Self::Report),
            Some("exception") => Ok(Self::Exception),
            Some("off") => Ok(Self::Off),
            Some(other) => Err(Error::new(Errc::Invalid, CPU_FAULTS.refusal(other))),
        }
    }

    /// Returns the mode of this process. Reports an error if the setting is invalid.
    pub(crate) fn of_process() -> Result<Self> {
        static MODE: OnceLock<Result<Mode>> = OnceLock::new();
        let read = || {
            let text =
                std::env::var_os(CPU_FAULTS.name).map(|text| text.to_string_lossy().into_owned());
            Self::parse(text.as_deref())
        };
        MODE.get_or_init(read).clone()
    }

    /// Like [`Self::of_process`], for use after an invalid setting has been reported.
    pub(crate) fn known() -> Self {
        Self::of_process().unwrap_or(Self::Off)
    }
}

/// Installs the handler, if it is not switched off, before the first kernel runs.
pub(crate) fn watch() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        if Mode::known() != Mode::Off {
            handler::install();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_strictly() {
        assert_eq!(Mode::parse(None), Ok(Mode::Report));
        assert_eq!(Mode::parse(Some(" exception ")), Ok(Mode::Exception));
        assert_eq!(Mode::parse(Some("off")), Ok(Mode::Off));
        let error = Mode::parse(Some("0")).unwrap_err();
        assert!(error.message.contains("SCYTHE_CPU_FAULTS is '0', expected"), "{error}");
    }
}
