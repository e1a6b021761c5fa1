//! Symbols that a SPIR-V module may leave undefined: the functions of SPIR-V, which are
//! instructions. The program or the device library must define all others. Drivers report little
//! about an undefined symbol, so this module reports it.

use super::SpirvError;
use crate::target::common::address_spaces::is_query;
use scythe_llvm::{Function, Module};

/// Fails if the finished module calls a function that is not defined anywhere.
pub fn check(module: &Module<'_>) -> Result<(), SpirvError> {
    let Some(function) = missing(module).next() else { return Ok(()) };
    let user = function.users().into_iter().find_map(|user| user.as_instruction()?.function());
    let user = user.map_or_else(|| "a constant".to_owned(), |f| format!("'{}'", f.name()));
    Err(SpirvError::Undefined { symbol: function.name(), user })
}

/// Returns the functions that the module calls and does not define, and that are not instructions.
pub fn missing<'ctx>(module: &Module<'ctx>) -> impl Iterator<Item = Function<'ctx>> {
    let undefined =
        module.functions().filter(|f| f.is_declaration() && !f.is_intrinsic() && f.has_uses());
    undefined.filter(|f| !is_instruction(&f.name()) && !is_query(&f.name()))
}

/// Whether the symbol is an instruction. SPIR-V's functions have C++ mangled names,
/// `_Z<length>__spirv_…`. The device library defines the group functions, which drivers support
/// only in part. Shuffles and arithmetic of sub-groups (`GroupNonUniform…`) and group copies are
/// instructions.
fn is_instruction(symbol: &str) -> bool {
    let plain = symbol
        .strip_prefix("_Z")
        .map_or(symbol, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let Some(name) = plain.strip_prefix("__spirv_") else { return symbol == "printf" };
    match name.strip_prefix("Group") {
        Some(of_group) => ["NonUniform", "AsyncCopy", "WaitEvents"]
            .iter()
            .any(|known| of_group.starts_with(known)),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_spirv_are_told_from_others() {
        assert!(
            is_instruction("_Z17__spirv_ocl_ldexpfi")
                && is_instruction("_Z33__spirv_BuiltInGlobalInvocationIdi")
        );
        assert!(
            is_instruction("_Z18__spirv_ocl_printfPU3AS2Kcz")
                && is_instruction("__spirv_ControlBarrier")
        );
        assert!(is_instruction("_Z30__spirv_GroupNonUniformShufflejij"));
        assert!(!is_instruction("_Z17__spirv_GroupIAddjji"), "the device library defines it");
        assert!(
            !is_instruction("sinf") && !is_instruction("_Z3foov") && !is_instruction("__mulsc3")
        );
    }
}
