//! Where a program submits a kernel: the outermost call into the SYCL headers that passed the functor on.
//!
//! The entry point is instantiated somewhere inside the headers. From there the search goes up, from each function
//! template instantiated in namespace `sycl` to the one that calls it or makes the closure that calls it, until no caller is
//! left in the headers; that one was instantiated where the program called it.

use std::collections::HashMap;

use crate::facts::{Action, Decl, Loc, Source};

/// For each kernel entry point, the place where the program submits it.
pub fn find(source: &impl Source, entries: &[Decl], instantiations: &[Decl]) -> Vec<Loc> {
    let callers = callers(source, entries, instantiations);
    entries.iter().map(|&entry| outermost(source, &callers, entry)).collect()
}

/// Who calls a function, or makes the closure whose call operator it is; the first in source order counts.
fn callers(source: &impl Source, entries: &[Decl], instantiations: &[Decl]) -> HashMap<Decl, Decl> {
    let mut callers = HashMap::new();
    // Closures are walked as they are found: they are no instantiations by themselves.
    let mut work: Vec<Decl> = instantiations.iter().rev().copied().filter(|decl| !entries.contains(decl)).collect();
    let mut seen: std::collections::HashSet<Decl> = work.iter().copied().collect();
    while let Some(function) = work.pop() {
        for event in source.events(function) {
            if let Action::Call(callee) | Action::Lambda(callee) | Action::Address(callee) = event.action {
                callers.entry(callee).or_insert(function);
                if matches!(event.action, Action::Lambda(_)) && seen.insert(callee) {
                    work.push(callee);
                }
            }
        }
    }
    callers
}

fn outermost(source: &impl Source, callers: &HashMap<Decl, Decl>, entry: Decl) -> Loc {
    let mut at = entry;
    let mut place = source.function(entry).instantiated_at;
    // The bound breaks circles.
    for _ in 0..=callers.len() {
        let Some(&caller) = callers.get(&at) else { break };
        at = caller;
        let function = source.function(at);
        if function.instantiated_at != Loc(0) && function.in_sycl {
            place = function.instantiated_at;
        }
    }
    place
}
