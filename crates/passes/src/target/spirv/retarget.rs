//! From device code as the front end leaves it to LLVM's SPIR-V target: triple, data layout,
//! visibility.
//!
//! Generic device code has SPIR-V's address spaces and calling conventions already.

use scythe_llvm::{Linkage, Module, Place, TargetMachine};

/// Makes `module` one for the machine.
pub fn run(module: &Module<'_>, machine: &TargetMachine) {
    machine.apply_to(module);
}

/// Hides all functions that are defined here, except kernels.
pub fn internalize(module: &Module<'_>) {
    for function in module.functions().filter(|f| !f.is_declaration() && !f.is_kernel()) {
        function.remove_comdat();
        function.set_linkage(Linkage::LLVMInternalLinkage);
    }
    for kernel in module.kernels() {
        kernel.remove_comdat();
        kernel.set_linkage(Linkage::LLVMExternalLinkage);
    }
}

/// Allows the optimisation of functions that were compiled without. Returns whether there were any.
pub fn allow_optimisation(module: &Module<'_>) -> bool {
    let mut any = false;
    for function in
        module.functions().filter(|f| f.enum_attribute(Place::Function, "optnone").is_some())
    {
        ["optnone", "noinline"]
            .iter()
            .for_each(|name| function.remove_enum_attribute(Place::Function, name));
        any = true;
    }
    any
}
