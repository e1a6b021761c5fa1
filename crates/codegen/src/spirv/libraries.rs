//! Links the device library for SPIR-V. The library is read only if the program needs one of its
//! symbols.

use super::Options;
use crate::{Error, device_library};
use scythe_llvm::{Context, Module};
use scythe_passes::target::spirv::externals;

/// The device library's file in the folder of device libraries.
pub const DEVICE_LIBRARY: &str = "devicelib-spirv.bc";

/// Links the definitions of undefined symbols of `module`.
pub fn link<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    options: &Options,
) -> Result<(), Error> {
    let first = externals::missing(module).next().map(|function| function.name());
    let (Some(first), Some(folder)) = (first, options.device_lib_dir.as_deref()) else {
        return Ok(());
    };
    let path = folder.join(DEVICE_LIBRARY);
    device_library::link(context, module, ("SPIR-V device library", &path), &first, |library| {
        library.set_triple(&module.triple());
        library.set_data_layout(&module.data_layout());
    })
}
