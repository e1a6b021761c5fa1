//! Links the device library for the CPU. The library is read only if the program needs one of its
//! symbols.

use super::Options;
use crate::{Error, device_library};
use scythe_llvm::{Context, Module};
use scythe_passes::target::cpu::externals;

/// The device library's file in the folder of device libraries.
pub const DEVICE_LIBRARY: &str = "devicelib-cpu.bc";

/// Links the definitions of undefined symbols of `module`.
pub fn link<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    options: &Options,
) -> Result<(), Error> {
    let missing = externals::missing(module);
    let (Some(first), Some(folder)) = (missing.first(), options.device_lib_dir.as_deref()) else {
        return Ok(());
    };
    let path = folder.join(DEVICE_LIBRARY);
    device_library::link(context, module, ("CPU device library", &path), first, |_| ())
}
