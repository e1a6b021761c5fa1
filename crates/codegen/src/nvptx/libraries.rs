//! Links the libraries for NVPTX. Each symbol comes from the first library that defines it. A
//! library is read only if a symbol is undefined.

use super::Options;
use crate::{Error, device_library};
use scythe_llvm::{Context, Module, TargetMachine};
use scythe_passes::target::nvptx;
use scythe_passes::target::nvptx::lowering::denormals;

/// The files of the device library.
const DEVICE_LIBRARY: &str = "devicelib-nvptx.bc";
const OWN_MATHS: &str = "devicelib-nvptx-maths.bc";

pub use super::toolkit::libclc;

/// Links the definitions of undefined symbols of `module`.
pub fn link<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    machine: &TargetMachine,
    options: &Options,
    target: &nvptx::Options,
) -> Result<(), Error> {
    let own = |name: &str| options.device_lib_dir.as_ref().map(|folder| folder.join(name));
    let libdevice = || options.libdevice.clone();
    // libdevice appears twice, because libclc calls its functions.
    let sources = [own(DEVICE_LIBRARY), libdevice(), libclc(), libdevice(), own(OWN_MATHS)];
    for path in sources.into_iter().flatten() {
        if let Some(first) = nvptx::externals::missing(module).into_iter().next() {
            device_library::link(context, module, ("device library", &path), &first, |library| {
                // Libraries spell the same target in different ways.
                machine.apply_to(library);
                denormals::adopt(library, module);
            })?;
            nvptx::prepare(module, machine, target)?;
        }
    }
    Ok(())
}
