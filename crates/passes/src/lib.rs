//! IR passes on device modules. Each pass has a file and a `run` function. [`pipeline`] runs lists
//! of passes.
//!
//! This crate does no I/O and has no `unsafe` code.
//!
//! The front end runs these passes at the start of clang's pipeline, in this order
//! ([`front_end_pipeline`]):
//!
//! 1. [`host_code`] removes host functions that clang compiled into the device module.
//! 2. [`work_group_static`] moves variables of work-groups to local memory.
//! 3. [`properties::kernels`] turns compile-time properties of kernels into the metadata of the
//!    equivalent attributes.
//! 4. [`literals`] folds conversions of `double` constants, so that they do not count as uses of
//!    `double`.
//! 5. [`aspects`] finds the optional features that each function uses, before any other pass can
//!    hide a use.
//! 6. [`linkage`] makes kernels and `device_global` variables of several translation units
//!    linkable. Names are final afterwards.
//! 7. [`lower_kernel_args`] gives kernels flat parameters. Signatures are final afterwards.
//! 8. [`properties::parameters`] attaches compile-time properties to parameters.
//! 9. [`properties::members`] records the structure and the member that each access to a member
//!    with properties refers to.

#![forbid(unsafe_code)]

pub mod aspects;
pub mod device_globals;
pub mod device_has;
mod error;
pub mod fixed_targets;
pub mod host_code;
pub mod kept_variables;
pub mod launch_metadata;
pub mod linkage;
pub mod literals;
pub mod lower_kernel_args;
pub mod pipeline;
pub mod properties;
pub mod source_positions;
pub mod specialization;
pub mod target;
pub mod undefined_checks;
pub mod work_group_static;

pub use aspects::Aspects;
pub use error::{Error, Fault};
pub use host_code::HostCode;
pub use linkage::Linkage;
pub use literals::Literals;
pub use lower_kernel_args::LowerKernelArgs;
pub use pipeline::{Dump, Options};
pub use properties::{KernelProperties, MemberProperties, ParameterProperties, SpirvProperties};
pub use work_group_static::WorkGroupStatic;

use scythe_llvm::Module;

/// A pass over a module.
pub trait Pass {
    /// The name of the pass in options and file tests.
    fn name(&self) -> &'static str;

    /// Runs the pass and returns whether the module changed. After an error the module may be
    /// partly transformed, but is valid.
    fn run(&self, module: &Module<'_>) -> Result<bool, Error>;
}

/// Returns the pass with this name.
pub fn by_name(name: &str) -> Option<&'static dyn Pass> {
    let all: [&'static dyn Pass; 10] = [
        &HostCode,
        &WorkGroupStatic,
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

/// Transforms a translation unit's module, which the front end has annotated, into the form that is
/// linked, split and compiled. Returns the time report (see [`Options::time`]).
pub fn front_end_pipeline(
    module: &Module<'_>,
    aspects: &Aspects<'_>,
    options: &Options,
    sink: &mut dyn FnMut(Dump),
) -> Result<String, Error> {
    let passes: [&dyn Pass; 9] = [
        &HostCode,
        &WorkGroupStatic,
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
