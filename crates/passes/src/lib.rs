//! IR passes on device modules: one pass, one file, one `run`. [`pipeline`] runs lists of them.
//!
//! This crate does no I/O, and has no `unsafe` code.
//!
//! What the front end runs at the start of clang's pipeline, in order ([`front_end_pipeline`]):
//!
//! 1. [`host_code`]: functions of the host that came along are gone.
//! 2. [`properties::kernels`]: compile-time properties of kernels are what attributes would have
//!    been.
//! 3. [`literals`]: constants of type `double` that are converted are no use of it.
//! 4. [`aspects`]: which optional features each function uses, before any other pass can hide one.
//! 5. [`linkage`]: kernels and `device_global` variables of several translation units can be
//!    linked. Names are final afterwards.
//! 6. [`lower_kernel_args`]: kernels have flat parameters. Signatures are final afterwards.
//! 7. [`properties::parameters`]: parameters carry their compile-time properties.
//! 8. [`properties::members`]: accesses to members with properties tell which member of what they
//!    access.

#![forbid(unsafe_code)]

pub mod aspects;
pub mod device_globals;
pub mod device_has;
mod error;
pub mod fixed_targets;
pub mod host_code;
pub mod launch_metadata;
pub mod linkage;
pub mod literals;
pub mod lower_kernel_args;
pub mod pipeline;
pub mod properties;
pub mod specialization;
pub mod target;

pub use aspects::Aspects;
pub use error::{Error, Fault};
pub use host_code::HostCode;
pub use linkage::Linkage;
pub use literals::Literals;
pub use lower_kernel_args::LowerKernelArgs;
pub use pipeline::{Dump, Options};
pub use properties::{KernelProperties, MemberProperties, ParameterProperties, SpirvProperties};

use scythe_llvm::Module;

/// A pass over a module.
pub trait Pass {
    /// As written in options and file tests.
    fn name(&self) -> &'static str;

    /// Does the work, and tells whether the module changed. After an error the module may be half
    /// done, but is valid.
    fn run(&self, module: &Module<'_>) -> Result<bool, Error>;
}

/// The pass with this name.
pub fn by_name(name: &str) -> Option<&'static dyn Pass> {
    let all: [&'static dyn Pass; 9] = [
        &HostCode,
        &KernelProperties,
        &Literals,
        &Aspects::SILENT,
        &Linkage,
        &LowerKernelArgs,
        &ParameterProperties,
        &MemberProperties,
        &SpirvProperties,
    ];
    all.into_iter().find(|p| p.name() == name)
}

/// Brings a translation unit's module, annotated by the front end, into the form that is linked,
/// split and compiled. Gives the time report (see [`Options::time`]).
pub fn front_end_pipeline(
    module: &Module<'_>,
    aspects: &Aspects<'_>,
    options: &Options,
    sink: &mut dyn FnMut(Dump),
) -> Result<String, Error> {
    let passes: [&dyn Pass; 8] = [
        &HostCode,
        &KernelProperties,
        &Literals,
        aspects,
        &Linkage,
        &LowerKernelArgs,
        &ParameterProperties,
        &MemberProperties,
    ];
    pipeline::run(module, &passes, options, sink)
}
