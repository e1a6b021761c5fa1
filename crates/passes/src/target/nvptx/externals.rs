//! Symbols that finished NVPTX code may leave undefined: the functions that CUDA's driver provides.

use super::NvptxError;
use super::lowering::launch::reads_launch;
use crate::target::common::matrices;
use scythe_llvm::Module;

/// The functions that the driver provides.
const PROVIDED: [&str; 5] = ["vprintf", "__assertfail", "malloc", "free", "__nvvm_reflect"];

/// Returns the symbols that the module uses and that neither the module nor the driver defines.
pub fn missing(module: &Module<'_>) -> Vec<String> {
    let undefined =
        module.functions().filter(|f| f.is_declaration() && !f.is_intrinsic() && f.has_uses());
    let names = undefined.map(|f| f.name());
    let is_known = |name: &str| {
        PROVIDED.contains(&name) || reads_launch(name) || name.starts_with(matrices::PREFIX)
    };
    names.filter(|name| !is_known(name)).collect()
}

/// Fails if the finished module uses a symbol that is not defined anywhere.
pub fn check(module: &Module<'_>) -> Result<(), NvptxError> {
    let Some(symbol) = missing(module).into_iter().next() else { return Ok(()) };
    let users = module.function(&symbol).map(|f| f.users()).unwrap_or_default();
    let user = users.into_iter().find_map(|user| user.as_instruction()?.function());
    Err(NvptxError::Undefined {
        symbol,
        user: user.map_or_else(|| "a constant".to_owned(), |f| f.name()),
    })
}
