//! The device configuration: the facts about each target of `-fsycl-targets=` that are known when a
//! program is compiled.
//!
//! The default configuration, `td/DeviceConfig.td`, is compiled into this crate as sorted
//! constants. A lookup is a binary search, and nothing is initialised when a program starts. A
//! user's YAML file adds targets and updates known ones ([`Table::extend_with_yaml`]).
//!
//! * [`Table`], [`Target`]: the table.
//! * [`Target::id`]: the name of a target's code in objects and images. [`Target::macros`] and
//!   others: options for its passes and compilers.
//! * [`intel_version`], [`intel_name`]: versions of Intel GPUs.
//! * [`macros_for`]: the macros for `any_device_has` and `all_devices_have` of the headers.
//! * [`Target::check`]: whether a target meets the requirements of an image.
//! * `tablegen`: the back end that writes C++ tables (feature `tablegen`).

#![forbid(unsafe_code)]

mod code;
pub mod errors;
mod macros;
#[cfg(feature = "tablegen")]
// The build script uses the other functions.
#[allow(dead_code)]
mod records;
mod requirements;
pub mod shell_words;
mod table;
#[cfg(feature = "tablegen")]
pub mod tablegen;
mod yaml;

pub use code::{OCLOC_DEVICE, intel_name, intel_version};
pub use macros::macros_for;
pub use requirements::Lack;
pub use table::{Table, Target};

/// A warning about a file. The file is used.
pub type Warning = scythe_diag::Diagnostic;
/// An error in a file or in the name of a target. A file with an error changes nothing.
pub type Error = scythe_diag::Diagnostic;
