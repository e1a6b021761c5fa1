//! Gives symbols names that PTX accepts. LLVM renames internal symbols. This pass renames kernels,
//! variables that the host accesses and external symbols. [`scythe_abi::cuda::symbol`] defines the
//! rule, which the runtime uses as well.

use scythe_abi::cuda::symbol;
use scythe_llvm::Module;

/// Renames all externally visible symbols.
pub fn run(module: &Module<'_>) {
    let functions = module
        .functions()
        .filter(|f| f.is_externally_visible() && !f.is_intrinsic())
        .map(|f| f.as_value());
    let variables = module.globals().filter(|v| v.is_externally_visible()).map(|v| v.as_value());
    let visible: Vec<_> = functions.chain(variables).collect();
    for value in visible {
        let (old, new) = (value.name(), symbol(&value.name()));
        if old != new && !old.starts_with("llvm.") {
            value.set_name(&new);
        }
    }
}
