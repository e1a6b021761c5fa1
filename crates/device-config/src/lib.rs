//! The device configuration: what is known of each target of `-fsycl-targets=` when a program is
//! compiled.
//!
//! The default configuration, `td/DeviceConfig.td`, is compiled into this crate as sorted
//! constants: asking it costs a binary search, and nothing when a program starts. A user's YAML
//! file adds targets and updates known ones ([`Table::extend_with_yaml`]).
//!
//! * [`Table`], [`Target`]: the table.
//! * [`Target::id`]: what code of a target is called in objects and images; [`Target::macros`] and
//!   others: what its passes and compilers are told.
//! * [`intel_version`], [`intel_name`]: versions of Intel GPUs.
//! * [`macros_for`]: what `any_device_has` and `all_devices_have` of the headers are made of.
//! * [`Target::check`]: whether a target has what an image needs.
//! * `tablegen`: the back end that writes C++ tables (feature `tablegen`).

#![forbid(unsafe_code)]

mod code;
mod macros;
pub mod near;
#[cfg(feature = "tablegen")]
// The build script uses the rest of it.
#[allow(dead_code)]
mod records;
mod requirements;
mod table;
#[cfg(feature = "tablegen")]
pub mod tablegen;
pub mod words;
mod yaml;

pub use code::{OCLOC_DEVICE, intel_name, intel_version};
pub use macros::macros_for;
pub use requirements::Lack;
pub use table::{Table, Target};

/// What was found in a file that is used all the same.
pub type Warning = scythe_diag::Diagnostic;
/// Why a file cannot be used. It changed nothing.
pub type Error = scythe_diag::Diagnostic;
