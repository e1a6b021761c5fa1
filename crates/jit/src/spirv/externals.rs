//! What a SPIR-V module may leave undefined: SPIR-V's own functions, which are instructions. All else must have been defined in
//! the program or in the device library, for drivers tell little of what they miss.

use super::{DEVICE_LIBRARY, Options};
use scythe_llvm::{Context, Function, Linkage, Module};
use scythe_passes::target::common::address_spaces::is_question;

/// Links what the module lacks from the device library. Programs that need nothing of it do not even read it.
pub fn link_device_library<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    options: &Options,
) -> Result<(), String> {
    let first = missing(module).next().map(|function| function.name());
    let (Some(first), Some(folder)) = (first, options.device_lib_dir.as_deref()) else { return Ok(()) };
    let path = folder.join(DEVICE_LIBRARY);
    let bytes = std::fs::read(&path).map_err(|e| {
        format!("cannot read the SPIR-V device library '{}', which '{first}' is looked for in: {e}", path.display())
    })?;
    let library = context.parse_bitcode(&bytes, &path.display().to_string()).map_err(|e| e.to_string())?;
    library.set_triple(&module.triple());
    library.set_data_layout(&module.data_layout());
    // LLVM links `linkonce` functions only where they are used, and a program's own definition wins.
    for function in library.functions().filter(|f| !f.is_declaration() && f.is_externally_visible()) {
        function.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
    }
    library.strip_debug_info();
    module.link(library).map_err(|e| e.to_string())
}

/// Fails when the finished module calls what nobody provides.
pub fn check(module: &Module<'_>) -> Result<(), String> {
    let Some(function) = missing(module).next() else { return Ok(()) };
    let user = function.users().into_iter().find_map(|user| user.as_instruction()?.function());
    let user = user.map_or_else(|| "a constant".to_owned(), |f| format!("'{}'", f.name()));
    Err(format!(
        "device code calls '{}' ({user} does), which neither the program nor the device library for SPIR-V defines",
        function.name()
    ))
}

fn missing<'ctx>(module: &Module<'ctx>) -> impl Iterator<Item = Function<'ctx>> {
    let undefined = module.functions().filter(|f| f.is_declaration() && !f.is_intrinsic() && f.has_uses());
    undefined.filter(|f| !is_instruction(&f.name()) && !is_question(&f.name()))
}

/// SPIR-V's functions have C++ mangled names, `_Z<length>__spirv_…`. The device library has those of groups, which drivers know
/// in part only; shuffles and arithmetic of sub-groups (`GroupNonUniform…`), and copies by a group, are instructions.
fn is_instruction(symbol: &str) -> bool {
    let plain = symbol.strip_prefix("_Z").map_or(symbol, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let Some(name) = plain.strip_prefix("__spirv_") else { return symbol == "printf" };
    match name.strip_prefix("Group") {
        Some(of_group) => ["NonUniform", "AsyncCopy", "WaitEvents"].iter().any(|known| of_group.starts_with(known)),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_spirv_are_told_from_others() {
        assert!(is_instruction("_Z17__spirv_ocl_ldexpfi") && is_instruction("_Z33__spirv_BuiltInGlobalInvocationIdi"));
        assert!(is_instruction("_Z18__spirv_ocl_printfPU3AS2Kcz") && is_instruction("__spirv_ControlBarrier"));
        assert!(is_instruction("_Z30__spirv_GroupNonUniformShufflejij"));
        assert!(!is_instruction("_Z17__spirv_GroupIAddjji"), "the device library has it");
        assert!(!is_instruction("sinf") && !is_instruction("_Z3foov") && !is_instruction("__mulsc3"));
    }
}
