//! Answers what device code asks of its device: `bool __scythe_device_has(uint32_t aspect)`.
//!
//! Code for the generic target keeps all branches of `if_device_has`. Whoever compiles it for a device folds the questions
//! first, so that the optimiser removes the branches that are not taken. Each branch is a call of a function with the attribute
//! [`CONDITIONAL_ATTRIBUTE`]: what it uses does not count for its callers.

use scythe_llvm::Module;

/// The function that device code asks.
pub const QUERY: &str = "__scythe_device_has";

/// Function attribute: calls of it may never happen on a device that lacks what it uses.
pub const CONDITIONAL_ATTRIBUTE: &str = "scythe-conditional";

/// Replaces all questions by the answers for a device with these aspects; an aspect that is not a constant counts as none.
pub fn fold(module: &Module<'_>, aspects: &[u32]) {
    let Some(query) = module.function(QUERY) else { return };
    for call in query.users().into_iter().filter_map(|user| user.as_instruction()) {
        if call.called_function() != Some(query) {
            continue;
        }
        let asked = call.args().first().and_then(|aspect| aspect.const_int_value());
        let has = asked.is_some_and(|asked| aspects.iter().any(|&aspect| u64::from(aspect) == asked));
        let Some(bits) = call.as_value().ty().int_width() else { continue };
        call.as_value().replace_all_uses_with(module.context().const_int(bits, has.into()));
        call.erase();
    }
}
