//! Which form of kernels the CPU device runs: widened to vector lanes, or one work-item at a time.
//!
//! Both compute the same. The scalar form is what the widened one is compared with.

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

    /// Of this process. An error is a setting that makes no sense.
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
