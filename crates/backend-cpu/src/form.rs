//! The form of kernels that the CPU device runs: widened to vector lanes, or one work-item at a
//! time.
//!
//! Both forms compute the same results. The scalar form is the reference for the widened form.

use std::sync::OnceLock;

use scythe_abi::environment::CPU_FORM;
use scythe_hal::{Errc, Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Widened,
    Scalar,
}

impl Form {
    fn parse(setting: Option<&str>) -> Result<Self> {
        match setting.map(str::trim) {
            None | Some("" | "widened") => Ok(Self::Widened),
            Some("scalar") => Ok(Self::Scalar),
            Some(other) => Err(Error::new(Errc::Invalid, CPU_FORM.refusal(other))),
        }
    }

    /// Returns the form for this process. Reports an error if the setting is invalid.
    pub(crate) fn of_process() -> Result<Self> {
        static FORM: OnceLock<Result<Form>> = OnceLock::new();
        let read = || {
            let text =
                std::env::var_os(CPU_FORM.name).map(|text| text.to_string_lossy().into_owned());
            Self::parse(text.as_deref())
        };
        FORM.get_or_init(read).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_strictly() {
        assert_eq!(Form::parse(None).unwrap(), Form::Widened);
        assert_eq!(Form::parse(Some("")).unwrap(), Form::Widened);
        assert_eq!(Form::parse(Some(" scalar ")).unwrap(), Form::Scalar);
        let bad = Form::parse(Some("Scalar")).unwrap_err();
        assert_eq!(bad.code, Errc::Invalid);
        assert!(bad.message.contains("SCYTHE_CPU_FORM is 'Scalar', expected"), "{bad}");
    }
}
