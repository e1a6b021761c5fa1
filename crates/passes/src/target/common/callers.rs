//! Finds the direct and indirect callers of a function. Code that is only meaningful as part of a
//! kernel must be inlined together with its callers.

use scythe_llvm::Function;
use std::collections::HashSet;

/// Returns all functions from which a chain of direct calls leads to one of `callees`. Each
/// function occurs once. On each chain, functions nearer to the callee come first.
pub fn of<'ctx>(callees: impl IntoIterator<Item = Function<'ctx>>) -> Vec<Function<'ctx>> {
    let mut work: Vec<_> = callees.into_iter().collect();
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    while let Some(callee) = work.pop() {
        for user in callee.users() {
            let caller = user.as_instruction().and_then(|i| i.function());
            if let Some(caller) = caller.filter(|c| known.insert(*c)) {
                found.push(caller);
                work.push(caller);
            }
        }
    }
    found
}
