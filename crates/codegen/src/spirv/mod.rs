//! Bitcode → linked device module → SPIR-V module, in memory.
//!
//! [`scythe_passes::target::spirv`] does the work before and after LLVM's back end. This module
//! reads the libraries, runs the back end, and can run a validator on the result.
//!
//! Guarantees: only kernels are visible in the result; the same input gives the same bytes; time is
//! linear in the input.

mod attempts;
mod libraries;
mod validator;

pub use libraries::DEVICE_LIBRARY;

use crate::cut::{self, Cut};
use crate::{Error, dump};
use scythe_llvm::{Context, OptLevel, TargetMachine, TargetOptions, translate_to_spirv};
use scythe_passes::kept_variables::BoundGlobals;
use scythe_passes::target::spirv::lowering::binary;
use scythe_passes::target::spirv::{self, check};
use scythe_passes::{source_positions, undefined_checks};
use std::path::PathBuf;

/// The highest minor version of modules, which is used if the driver accepts it. Later versions
/// have no benefit for kernels.
const HIGHEST_MINOR: u32 = 4;

/// The optimisation level of the back end: none, independent of the program's options. Its passes
/// on IR, most of all loop strength reduction, create integers of widths that SPIR-V does not have,
/// after lowering has removed them. They also create additions with carries, which some of Intel's
/// GPU compilers do not support. And they replace indices by incremented pointers, which drivers
/// can analyse less well.
const LEVEL: OptLevel = OptLevel::None;

/// The options and the target of a translation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder that contains [`DEVICE_LIBRARY`]. It is read only if a kernel needs it.
    pub device_lib_dir: Option<PathBuf>,
    /// A folder for the output of each stage.
    pub dump_dir: Option<PathBuf>,
    /// The extensions that the driver supports, by their SPIR-V names.
    pub extensions: Vec<String>,
    /// The highest version that the driver accepts, such as 0x0001_0400.
    pub version: u32,
    /// The device's aspects, for code that queries them.
    pub aspects: Vec<u32>,
    /// The kernel to translate, or `None` for all kernels. If the kernel shares variables with
    /// others, the module has all kernels.
    pub kernel: Option<String>,
    /// A program that validates the result, such as `spirv-val`.
    pub validator: Option<PathBuf>,
}

/// Translates device bitcode, linked with `libraries`, to a SPIR-V module with the same kernels. An
/// error names the invalid part and the reason.
pub fn translate(bitcode: &[u8], libraries: &[&[u8]], options: &Options) -> Result<Vec<u8>, Error> {
    attempts::run(&|| translate_once(bitcode, libraries, options))
}

fn translate_once(
    bitcode: &[u8],
    libraries: &[&[u8]],
    options: &Options,
) -> Result<Vec<u8>, Error> {
    let minor = ((options.version >> 8) & 0xff).min(HIGHEST_MINOR);
    if options.version >> 16 != 1 {
        return Err(Error::SpirvVersion { version: options.version });
    }
    let triple = format!("spirv64v1.{minor}-unknown-unknown");
    let context = Context::new();
    let bound = BoundGlobals::WithoutImageScope;
    let Cut { module, .. } =
        cut::read(&context, bitcode, libraries, options.kernel.as_deref(), bound)?;
    source_positions::fill(&module);
    undefined_checks::to_assertions(&module);
    // Neither the drivers of CPUs nor those of GPUs use debug information.
    module.strip_debug_info();
    let folder = options.dump_dir.as_deref();
    dump::module(folder, "spirv-0-input", &module)?;
    let machine =
        TargetMachine::new(&TargetOptions { triple: triple.clone(), ..TargetOptions::default() })?;
    let target =
        spirv::Options { extensions: options.extensions.clone(), aspects: options.aspects.clone() };
    let lowered = spirv::lower(&module, &machine, &target, &mut |module| {
        libraries::link(&context, module, options)
    })?;
    dump::module(folder, "spirv-1-prepared", &module)?;
    match translate_to_spirv(module, &triple, &lowered.extensions, LEVEL) {
        Ok(words) => {
            let words = lowered.finish(&words)?;
            dump::bytes(folder, "spirv-2-module.spv", &words)?;
            check::run(&binary::Module::read(&words).map_err(spirv::SpirvError::from)?)?;
            if let Some(program) = &options.validator {
                validator::run(program, minor, &words)?;
            }
            Ok(words)
        }
        Err(error) => {
            // The translation of the module is incomplete, and the context owns the module.
            std::mem::forget(context);
            Err(Error::SpirvBackEnd(error))
        }
    }
}
