//! Inlines functions that are called in one place, whatever their size.
//!
//! Pointers in arguments that stay in memory lose their address space, and objects on the stack of
//! a GPU are in its slow memory. A function with one caller costs no code when it is inlined.
//! `noinline` is respected. A function that takes part in a recursion has a second caller or is
//! unreachable.

use scythe_llvm::{Function, Linkage, Module, Place};

/// Marks the functions. The pass `always-inline` then inlines them.
pub fn run(module: &Module<'_>) {
    for function in module.functions().filter(|f| is_called_once(*f)) {
        let attribute = module.context().enum_attribute("alwaysinline", 0);
        attribute.into_iter().for_each(|inline| function.add_attribute(Place::Function, inline));
    }
}

fn is_called_once(function: Function<'_>) -> bool {
    let has = |name| function.enum_attribute(Place::Function, name).is_some();
    if function.is_declaration()
        || function.linkage() != Linkage::LLVMInternalLinkage
        || ["noinline", "optnone", "naked"].into_iter().any(has)
    {
        return false;
    }
    let users = function.users();
    let [user] = users[..] else { return false };
    user.as_instruction().is_some_and(|call| {
        call.called_function() == Some(function)
            && !call.args().contains(&function.as_value())
            && call.function() != Some(function)
    })
}
