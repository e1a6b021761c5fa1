//! `ONEAPI_DEVICE_SELECTOR`: selects the devices that a program sees.
//!
//! ```text
//! selector = filter { ";" filter }          filters that discard follow those that accept
//! filter   = [ "!" ] backend ":" device { "," device }
//! backend  = "*" | "opencl" | "native_cpu" | "level_zero" | "cuda" | "hip"
//! device   = ( "*" | "cpu" | "gpu" | "fpga" | number ) [ "." part [ "." part ] ]
//! part     = "*" | number
//! ```
//!
//! A program sees a device if an accepting filter matches it, or if there is no accepting filter,
//! and if no discarding filter matches it. A number is the index of the device among those of its
//! backend, as `sycl-ls` shows it. The parts after a dot are sub-devices and parts of sub-devices.
//! The devices here have no such parts, so a filter with a dot matches no device. Filters are not
//! case-sensitive.

use scythe_hal::BackendKind;
use scythe_hal::info::DeviceType;

use scythe_abi::environment::DEVICE_SELECTOR;

use crate::{Errc, Error, Result};

pub const VARIABLE: &str = DEVICE_SELECTOR.name;

/// Returns the name of a backend in selectors and in `sycl-ls`.
pub fn backend_name(kind: BackendKind) -> &'static str {
    match kind {
        BackendKind::Host => "host",
        BackendKind::Cpu => "native_cpu",
        BackendKind::OpenCl => "opencl",
        BackendKind::Cuda => "cuda",
    }
}

/// Returns the name of a device type in selectors and in `sycl-ls`.
pub fn type_name(device: DeviceType) -> &'static str {
    match device {
        DeviceType::Cpu => "cpu",
        DeviceType::Gpu => "gpu",
        DeviceType::Accelerator => "fpga",
        DeviceType::Custom => "custom",
        DeviceType::Host => "host",
    }
}

/// The properties of a device that a selector examines.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub backend: BackendKind,
    pub device_type: DeviceType,
    /// The index among the devices of its backend.
    pub index: u32,
}

/// A parsed selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    accept: Vec<Filter>,
    discard: Vec<Filter>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Filter {
    /// The name of the backend; `None` matches any backend.
    backend: Option<String>,
    devices: Vec<DeviceTerm>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DeviceTerm {
    root: Root,
    /// Whether the term names sub-devices.
    parts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    Any,
    Type(DeviceType),
    Index(u32),
}

/// The backends that a selector may name, whether they are available or not.
const BACKENDS: [&str; 6] = ["opencl", "native_cpu", "level_zero", "cuda", "hip", "host"];

impl Selector {
    /// Parses the environment variable. If it is not set, the selector accepts all devices.
    pub fn from_environment() -> Result<Self> {
        match std::env::var_os(VARIABLE) {
            None => Ok(Self::default()),
            Some(value) => Self::parse(&value.to_string_lossy()),
        }
    }

    pub fn parse(text: &str) -> Result<Self> {
        let fail = |why: String| {
            let form = DEVICE_SELECTOR.values;
            Error::new(
                Errc::Invalid,
                format!("environment variable {VARIABLE} is '{text}': {why}; expected {form}"),
            )
        };
        let mut selector = Self::default();
        if text.trim().is_empty() {
            return Ok(selector);
        }
        for word in text.to_ascii_lowercase().split(';') {
            let word = word.trim();
            let (discards, term) = match word.strip_prefix('!') {
                Some(term) => (true, term),
                None => (false, word),
            };
            if !discards && !selector.discard.is_empty() {
                return Err(fail(format!(
                    "the accepting filter '{word}' must come before all discarding filters"
                )));
            }
            let filter = Filter::parse(term.trim()).map_err(fail)?;
            if discards { selector.discard.push(filter) } else { selector.accept.push(filter) }
        }
        Ok(selector)
    }

    /// Returns whether a program sees this device.
    pub fn sees(&self, device: Candidate) -> bool {
        let named = |filters: &[Filter]| filters.iter().any(|filter| filter.names(device));
        (self.accept.is_empty() || named(&self.accept)) && !named(&self.discard)
    }

    /// Returns whether a program can see any device of this backend. If not, its drivers need not
    /// be loaded.
    pub fn may_see(&self, kind: BackendKind) -> bool {
        let name = backend_name(kind);
        let matches =
            |filter: &Filter| filter.backend.as_deref().is_none_or(|backend| backend == name);
        let all = |filter: &Filter| {
            matches(filter)
                && filter.devices.iter().any(|term| term.root == Root::Any && !term.parts)
        };
        (self.accept.is_empty() || self.accept.iter().any(matches)) && !self.discard.iter().any(all)
    }
}

impl Filter {
    fn parse(term: &str) -> std::result::Result<Self, String> {
        let Some((backend, devices)) = term.split_once(':') else {
            return Err(format!("'{term}' has no ':' between backend and devices"));
        };
        let backend = match backend.trim() {
            "*" => None,
            name if BACKENDS.contains(&name) => Some(name.to_owned()),
            other => {
                return Err(format!(
                    "'{other}' is not a backend, expected '*' or one of {}",
                    BACKENDS.join(", ")
                ));
            }
        };
        let devices = devices
            .split(',')
            .map(|d| DeviceTerm::parse(d.trim()))
            .collect::<std::result::Result<_, _>>()?;
        Ok(Self { backend, devices })
    }

    fn names(&self, device: Candidate) -> bool {
        let backend =
            self.backend.as_deref().is_none_or(|name| name == backend_name(device.backend));
        backend && self.devices.iter().any(|term| term.names(device))
    }
}

impl DeviceTerm {
    fn parse(word: &str) -> std::result::Result<Self, String> {
        let mut levels = word.split('.').map(str::trim);
        let number = |text: &str| text.parse::<u32>().ok();
        let root = match levels.next().unwrap_or_default() {
            "*" => Root::Any,
            "cpu" => Root::Type(DeviceType::Cpu),
            "gpu" => Root::Type(DeviceType::Gpu),
            "fpga" | "acc" => Root::Type(DeviceType::Accelerator),
            other => match number(other) {
                Some(index) => Root::Index(index),
                None => {
                    return Err(format!(
                        "'{word}' is not a device, expected '*', cpu, gpu, fpga or a number"
                    ));
                }
            },
        };
        let parts: Vec<&str> = levels.collect();
        let known = |part: &&str| *part == "*" || number(part).is_some();
        if parts.len() > 2 || !parts.iter().all(known) {
            return Err(format!(
                "'{word}' is not a sub-device, expected at most two dots, each followed by '*' or \
                 a number"
            ));
        }
        Ok(Self { root, parts: !parts.is_empty() })
    }

    fn names(self, device: Candidate) -> bool {
        let root = match self.root {
            Root::Any => true,
            Root::Type(device_type) => device_type == device.device_type,
            Root::Index(index) => index == device.index,
        };
        root && !self.parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: Candidate =
        Candidate { backend: BackendKind::Cpu, device_type: DeviceType::Cpu, index: 0 };
    const CL_CPU: Candidate =
        Candidate { backend: BackendKind::OpenCl, device_type: DeviceType::Cpu, index: 0 };
    const CL_GPU: Candidate =
        Candidate { backend: BackendKind::OpenCl, device_type: DeviceType::Gpu, index: 1 };

    fn seen(text: &str) -> [bool; 3] {
        let selector = Selector::parse(text).unwrap();
        [CPU, CL_CPU, CL_GPU].map(|device| selector.sees(device))
    }

    #[test]
    fn filters_accept_and_discard() {
        for (text, expected) in [
            ("", [true, true, true]),
            ("*:*", [true, true, true]),
            ("opencl:*", [false, true, true]),
            ("OpenCL:GPU", [false, false, true]),
            ("native_cpu:*", [true, false, false]),
            ("*:cpu", [true, true, false]),
            ("*:0", [true, true, false]),
            ("opencl:0,1", [false, true, true]),
            ("opencl:1;native_cpu:cpu", [true, false, true]),
            ("!opencl:*", [true, false, false]),
            ("!*:gpu", [true, true, false]),
            ("*:*;!opencl:cpu", [true, false, true]),
            ("opencl:*;!opencl:0;!opencl:gpu", [false, false, false]),
            ("level_zero:*", [false, false, false]),
            ("opencl:0.1", [false, false, false]),
            ("*:*.*", [false, false, false]),
            ("!opencl:gpu.0.*", [true, true, true]),
        ] {
            assert_eq!(seen(text), expected, "{text}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (text, word) in [
            ("opencl", "no ':'"),
            ("vulkan:*", "'vulkan'"),
            ("opencl:tpu", "'tpu'"),
            ("opencl:", "''"),
            ("opencl:0.x", "'0.x'"),
            ("opencl:0.1.2.3", "sub-device"),
            ("!opencl:*;native_cpu:*", "must come before all discarding filters"),
            ("opencl:*;", "no ':'"),
        ] {
            let error = Selector::parse(text).expect_err(text);
            assert_eq!(error.code, Errc::Invalid);
            assert!(error.message.contains(VARIABLE) && error.message.contains(word), "{error}");
        }
    }

    #[test]
    fn drivers_that_no_filter_can_name_are_not_loaded() {
        let may = |text: &str| Selector::parse(text).unwrap().may_see(BackendKind::OpenCl);
        assert!(may("") && may("*:cpu") && may("opencl:7") && may("!opencl:gpu"));
        assert!(!may("native_cpu:*") && !may("!opencl:*") && !may("*:*;!*:*"));
    }
}
