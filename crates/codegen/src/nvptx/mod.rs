//! Bitcode → linked device module → PTX, in memory.
//!
//! Device code has one of two forms: the output of a device pass for NVPTX, or generic code, whose
//! address spaces are renumbered. Undefined symbols are resolved, in this order, by the device
//! library, by CUDA's maths library (`libdevice`), by `libclc`, and by the device library's own
//! maths, which is for machines without CUDA. A symbol that is still undefined is an error with its
//! name.
//!
//! Guarantees: only kernels, and variables that the host accesses by name, are visible in the
//! result; the same input gives the same text.

pub mod libraries;
pub use scythe_cuda_toolkit as toolkit;

use crate::cut::{self, Cut};
use crate::{Error, dump};
use scythe_abi::cuda::Architecture;
use scythe_device_config::Table;
use scythe_llvm::{Context, Module, OptLevel, TargetMachine, TargetOptions};
use scythe_passes::kept_variables::BoundGlobals;
use scythe_passes::target::common::async_copies;
use scythe_passes::target::nvptx::{self, Stage, address_spaces};
use scythe_passes::{device_globals, device_has, source_positions, undefined_checks};
use std::path::PathBuf;

const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// The first PTX version, multiplied by ten, that supports the parameters of kernels.
pub const FIRST_PTX: u32 = 77;

/// The options and the target of a compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The optimisation level, 0 to 3.
    pub opt_level: u32,
    /// The architecture, such as `sm_90`.
    pub arch: String,
    /// The PTX version, multiplied by ten.
    pub ptx_version: u32,
    /// The folder of the device library's bitcode. It is read only if a kernel needs it.
    pub device_lib_dir: Option<PathBuf>,
    /// CUDA's maths library.
    pub libdevice: Option<PathBuf>,
    /// A folder for the IR of each stage.
    pub dump_dir: Option<PathBuf>,
    /// The device's aspects, for code that queries them.
    pub aspects: Vec<u32>,
    /// The kernel to compile, or `None` for all kernels. If the kernel shares variables with
    /// others, the text has all kernels.
    pub kernel: Option<String>,
}

/// Returns the architecture and the PTX version for a device of compute capability `sm` whose
/// driver supports PTX up to `ptx_version`: the newest architecture that the device, the driver and
/// the compiler support. Returns `None` if the driver is too old.
pub fn architecture(sm: u32, ptx_version: u32) -> Option<(String, u32)> {
    if ptx_version < FIRST_PTX {
        return None;
    }
    let number = |arch: &str| Architecture::from_name(arch).filter(|a| !a.specific).map(|a| a.sm);
    let table = Table::embedded();
    let known = table.targets().filter_map(|target| Some((target.cuda_arch()?, target.first_ptx?)));
    // Architectures older than PTX 8.3 need no later version than their drivers support.
    let needed = |ptx: u32| if ptx <= 83 { FIRST_PTX } else { ptx };
    let fitting = known
        .filter(|(arch, ptx)| number(arch).is_some_and(|n| n <= sm) && needed(*ptx) <= ptx_version);
    let (arch, ptx) = fitting.max_by_key(|(arch, _)| number(arch))?;
    Some((arch, ptx.min(ptx_version)))
}

/// Compiles device bitcode, linked with `libraries`, to PTX text. An error names the invalid part
/// and the reason.
pub fn translate(bitcode: &[u8], libraries: &[&[u8]], options: &Options) -> Result<Vec<u8>, Error> {
    let context = Context::new();
    let bound = BoundGlobals::WithoutImageScope;
    let Cut { module, .. } =
        cut::read(&context, bitcode, libraries, options.kernel.as_deref(), bound)?;
    translate_module(&context, module, options)
}

fn translate_module<'ctx>(
    context: &'ctx Context,
    module: Module<'ctx>,
    options: &Options,
) -> Result<Vec<u8>, Error> {
    let target = TargetOptions {
        triple: TRIPLE.into(),
        cpu: options.arch.clone(),
        features: format!("+ptx{}", options.ptx_version),
        opt_level: OptLevel::from_number(options.opt_level),
    };
    let machine = TargetMachine::new(&target)?;
    let short = TargetMachine::with_short_pointers(&target)?;
    let positions = nvptx::check::positions(&module);
    source_positions::fill(&module);
    undefined_checks::to_assertions(&module);
    // Full debug information would make ptxas switch off its optimisations.
    match module.has_debug_info() {
        true => module.keep_line_directives(),
        false => module.strip_debug_info(),
    }
    let folder = options.dump_dir.as_deref();
    dump::module(folder, "nvptx-0-input", &module)?;
    device_globals::to_pointers(&module)?;
    device_has::fold(&module, &options.aspects)?;
    async_copies::replace(&module)?;
    let module = match module.triple().starts_with("nvptx") {
        true => module,
        false => address_spaces::run(context, module, &machine)?,
    };
    let sm = Architecture::from_name(&options.arch).map(|arch| arch.sm);
    let sm = sm.ok_or_else(|| Error::Architecture { name: options.arch.clone() })?;
    let target = nvptx::Options { opt_level: options.opt_level, sm };
    nvptx::prepare(&module, &machine, &target)?;
    libraries::link(context, &module, &machine, options, &target)?;
    let mut observe =
        |stage: Stage, module: &Module<'ctx>| Ok(dump::stage(folder, stage.name(), module)?);
    let lowered = nvptx::lower(&module, &machine, &short, &target, &mut observe);
    let machine = lowered.map_err(|e| e.at(&positions))?;
    let ptx = machine.emit_assembly(module)?;
    dump::bytes(folder, "nvptx-4.ptx", &ptx)?;
    Ok(ptx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_get_the_newest_architecture_that_their_driver_knows() {
        assert_eq!(architecture(90, 88), Some(("sm_90".to_owned(), 83)));
        assert_eq!(architecture(90, 80), Some(("sm_90".to_owned(), 80)));
        assert_eq!(architecture(88, 88), Some(("sm_87".to_owned(), 83)));
        assert_eq!(architecture(100, 85), Some(("sm_90".to_owned(), 83)));
        assert_eq!(architecture(100, 90), Some(("sm_100".to_owned(), 86)));
        assert_eq!(architecture(80, 70), None);
        assert_eq!(architecture(30, 88), None);
    }
}
