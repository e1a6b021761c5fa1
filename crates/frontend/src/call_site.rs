//! Where a program submits a kernel: the outermost call into the SYCL headers that passed the
//! functor on.
//!
//! The entry point is instantiated somewhere inside the headers. From there the search goes up,
//! from each function template instantiated in namespace `sycl` to the one that calls it or makes
//! the closure that calls it, until no caller is left in the headers; that one was instantiated
//! where the program called it first. Other calls of it, as with a lambda that is submitted twice,
//! are found in the program's own functions.

use std::collections::{HashMap, HashSet};

use crate::facts::{Action, Decl, Loc, Source};

/// Where a kernel is submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The first place in source order.
    pub loc: Loc,
    /// The functions of the headers through which the program submits it, each with its first call.
    pub functions: Vec<(Decl, Loc)>,
}

/// For each kernel entry point, where the program submits it.
pub fn find(source: &impl Source, entries: &[Decl], instantiations: &[Decl]) -> Vec<CallSite> {
    let mut callers: HashMap<Decl, Vec<Decl>> = HashMap::new();
    let functions = instantiations.iter().copied().filter(|decl| !entries.contains(decl));
    for_each_call(source, functions, |caller, callee, _| {
        callers.entry(callee).or_default().push(caller)
    });
    entries.iter().map(|&entry| outermost(source, &callers, entry)).collect()
}

/// All calls of each site's functions in the program's own functions, and the first ones; in source
/// order.
pub fn all_calls(source: &impl Source, sites: &[CallSite], program: &[Decl]) -> Vec<Vec<Loc>> {
    let mut calls: HashMap<Decl, Vec<Loc>> = HashMap::new();
    for &(function, loc) in sites.iter().flat_map(|site| &site.functions) {
        calls.insert(function, vec![loc]);
    }
    for_each_call(source, program.iter().copied(), |_, callee, loc| {
        if let Some(known) = calls.get_mut(&callee) {
            known.push(loc);
        }
    });
    let of_site = |site: &CallSite| {
        let mut all: Vec<Loc> =
            site.functions.iter().flat_map(|(function, _)| calls[function].clone()).collect();
        all.sort();
        all.dedup();
        all
    };
    sites.iter().map(of_site).collect()
}

/// Tells of each call in the functions and in the closures they make, which are no functions of the
/// lists by themselves. A function that makes a closure counts as its caller.
fn for_each_call(
    source: &impl Source,
    functions: impl DoubleEndedIterator<Item = Decl>,
    mut tell: impl FnMut(Decl, Decl, Loc),
) {
    let mut work: Vec<Decl> = functions.rev().collect();
    let mut seen: HashSet<Decl> = work.iter().copied().collect();
    while let Some(function) = work.pop() {
        for event in source.events(function) {
            if let Action::Call(callee) | Action::Lambda(callee) | Action::Address(callee) =
                event.action
            {
                tell(function, callee, event.loc);
                if matches!(event.action, Action::Lambda(_)) && seen.insert(callee) {
                    work.push(callee);
                }
            }
        }
    }
}

/// Goes up from an entry point along all callers. Where a path ends, its last function that the
/// program can have instantiated is the one it called.
fn outermost(source: &impl Source, callers: &HashMap<Decl, Vec<Decl>>, entry: Decl) -> CallSite {
    let first = source.function(entry).instantiated_at;
    let mut work = vec![(entry, (entry, first))];
    let mut seen = HashSet::from([entry]);
    let mut functions = Vec::new();
    while let Some((at, known)) = work.pop() {
        let above = callers.get(&at).map_or(&[][..], Vec::as_slice);
        if above.is_empty() && !functions.contains(&known) {
            functions.push(known);
        }
        for &caller in above {
            if seen.insert(caller) {
                let function = source.function(caller);
                let called = function.instantiated_at != Loc(0) && function.in_sycl;
                work.push((
                    caller,
                    if called { (caller, function.instantiated_at) } else { known },
                ));
            }
        }
    }
    let loc = functions.iter().map(|&(_, loc)| loc).min().unwrap_or(first);
    CallSite { loc, functions }
}
