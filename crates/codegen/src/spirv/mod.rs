//! Bitcode → linked device module → SPIR-V module, in memory.
//!
//! [`scythe_passes::target::spirv`] does the work before and after LLVM's back end; this module
//! reads the libraries, runs the back end, and lets a validator see the result.
//!
//! Guarantees: only kernels are visible in the result; the same input gives the same bytes; time is
//! linear in the input.

mod attempts;
mod libraries;
mod validator;

pub use libraries::DEVICE_LIBRARY;

use crate::{Error, dump, link};
use scythe_llvm::{Context, OptLevel, TargetMachine, TargetOptions, translate_to_spirv};
use scythe_passes::target::spirv::lowering::binary;
use scythe_passes::target::spirv::{self, check};
use std::path::PathBuf;

/// The minor version that modules have where the driver accepts it; later versions bring kernels
/// nothing.
const HIGHEST_MINOR: u32 = 4;

/// How much the back end optimises: nothing, whatever the program asks for. Its passes on IR, loop
/// strength reduction first of all, make integers of widths that SPIR-V does not have, after
/// lowering has removed them, and sums with carries, which not all of Intel's compilers for GPUs
/// know. And they replace indices by pointers that are counted up, which drivers then know less
/// about.
const LEVEL: OptLevel = OptLevel::None;

/// How to translate, and for what.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder that holds [`DEVICE_LIBRARY`]. It is read when a kernel needs it.
    pub device_lib_dir: Option<PathBuf>,
    /// A folder for each stage.
    pub dump_dir: Option<PathBuf>,
    /// Those that the driver knows, by SPIR-V's names.
    pub extensions: Vec<String>,
    /// The highest version that the driver takes, such as 0x0001_0400.
    pub version: u32,
    /// The device's aspects, for code that asks.
    pub aspects: Vec<u32>,
    /// The one kernel that is wanted, else all.
    pub kernel: Option<String>,
    /// A program that is to judge the result, such as `spirv-val`.
    pub validator: Option<PathBuf>,
}

/// Translates device bitcode, linked with `libraries`, to a SPIR-V module with the same kernels. An
/// error says what was wrong with what.
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
    let module = context.parse_bitcode(bitcode, "device image")?;
    link::run(&context, &module, libraries)?;
    // Bitcode that can be read may still be no valid IR, on which passes would fail in any way.
    module.verify()?;
    if let Some(kernel) = &options.kernel {
        spirv::keep_only(&module, kernel)?;
    }
    // Drivers of CPUs and GPUs alike have no use for it.
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
            // The module was left in the middle of its translation, and the context holds it.
            std::mem::forget(context);
            Err(Error::SpirvBackEnd(error))
        }
    }
}
