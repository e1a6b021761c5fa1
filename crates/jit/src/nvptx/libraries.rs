//! What device code may call without defining it, from where it is found first. A library that nothing is needed of is not even read.

use super::Options;
use scythe_llvm::{Context, Linkage, Module, TargetMachine};
use scythe_passes::target::nvptx;
use std::path::Path;

/// Files of the device library.
const DEVICE_LIBRARY: &str = "devicelib-nvptx.bc";
const OWN_MATHS: &str = "devicelib-nvptx-maths.bc";

pub use super::toolkit::libclc;

/// Links what `module` lacks.
pub fn link<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    machine: &TargetMachine,
    options: &Options,
    target: &nvptx::Options,
) -> Result<(), String> {
    let own = |name: &str| options.device_lib_dir.as_ref().map(|folder| folder.join(name));
    let libdevice = || options.libdevice.clone();
    // libclc itself calls CUDA's functions.
    let sources = [own(DEVICE_LIBRARY), libdevice(), libclc(), libdevice(), own(OWN_MATHS)];
    for path in sources.into_iter().flatten() {
        if let Some(first) = nvptx::externals::missing(module).into_iter().next() {
            link_file(context, module, machine, &path, &first)?;
            nvptx::prepare(module, machine, target).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}

fn link_file<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    machine: &TargetMachine,
    path: &Path,
    first: &str,
) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|e| {
        format!("cannot read the device library '{}', which '{first}' is looked for in: {e}", path.display())
    })?;
    let library = context.parse_bitcode(&bytes, &path.display().to_string()).map_err(|e| e.to_string())?;
    // Libraries differ in how they spell the target, and mean the same.
    machine.apply_to(&library);
    // LLVM links `linkonce` functions only where they are used, and a program's own definition wins.
    for function in library.functions().filter(|f| !f.is_declaration() && f.is_externally_visible()) {
        function.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
    }
    library.strip_debug_info();
    nvptx::lowering::denormals::adopt(&library, module);
    module.link(library).map_err(|e| e.to_string())
}
