//! Steps from device code of the front end to a module for one machine: attributes and visibility.

use scythe_llvm::{Function, GlobalVariable, Linkage, Module, Place, Visibility};

/// Enum attributes of functions that have no meaning in code for any device.
const DROPPED_ENUMS: [&str; 4] = ["uwtable", "ssp", "sspstrong", "sspreq"];

/// Removes the attributes that bind `function` to another target: those of all targets, and the
/// string attributes `strings`.
pub(crate) fn drop_attributes(function: Function<'_>, strings: &[&str]) {
    DROPPED_ENUMS.iter().for_each(|name| function.remove_enum_attribute(Place::Function, name));
    strings.iter().for_each(|name| function.remove_string_attribute(Place::Function, name));
}

/// Removes `optnone`, and the `noinline` that comes with it. Returns whether `function` had
/// `optnone`.
pub(crate) fn allow_optimisation(function: Function<'_>) -> bool {
    let unoptimised = function.enum_attribute(Place::Function, "optnone").is_some();
    if unoptimised {
        function.remove_enum_attribute(Place::Function, "optnone");
        function.remove_enum_attribute(Place::Function, "noinline");
    }
    unoptimised
}

/// Gives all definitions of `module` internal linkage, except the functions and the variables that
/// the predicates accept.
pub(crate) fn internalize<'ctx>(
    module: &Module<'ctx>,
    keep_function: impl Fn(Function<'ctx>) -> bool,
    keep_variable: impl Fn(GlobalVariable<'ctx>) -> bool,
) {
    let linkage = |keep| match keep {
        true => Linkage::LLVMExternalLinkage,
        false => Linkage::LLVMInternalLinkage,
    };
    for function in module.functions().filter(|f| !f.is_declaration()) {
        function.remove_comdat();
        function.set_visibility(Visibility::LLVMDefaultVisibility);
        function.set_linkage(linkage(keep_function(function)));
    }
    for variable in module.globals().filter(|v| !v.is_declaration()) {
        variable.remove_comdat();
        // LLVM reads these lists, so they keep their linkage.
        if variable.linkage() != Linkage::LLVMAppendingLinkage {
            variable.set_visibility(Visibility::LLVMDefaultVisibility);
            variable.set_linkage(linkage(keep_variable(variable)));
        }
    }
}
