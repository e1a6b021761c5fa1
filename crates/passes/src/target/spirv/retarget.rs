//! Converts device code from the front end to LLVM's SPIR-V target: triple, data layout,
//! visibility.
//!
//! Generic device code already has SPIR-V's address spaces and calling conventions.

use crate::target::common::retarget;
use scythe_llvm::{Linkage, Module, TargetMachine};

/// Retargets `module` to the machine.
pub fn run(module: &Module<'_>, machine: &TargetMachine) {
    machine.apply_to(module);
}

/// Gives all defined functions internal linkage, except kernels.
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

/// Allows the optimisation of functions that were compiled without optimisation. Returns whether
/// there were any.
pub fn allow_optimisation(module: &Module<'_>) -> bool {
    let mut any = false;
    for function in module.functions() {
        any |= retarget::allow_optimisation(function);
    }
    any
}
