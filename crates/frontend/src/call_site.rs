//! Finds the positions where a program submits a kernel: the outermost calls into the SYCL headers
//! that pass the functor.
//!
//! The headers instantiate the entry point. From there, the search goes from each function template
//! instantiated in namespace `sycl` to the function that calls it, or that creates the closure
//! which calls it, until there is no caller in the headers. The last function was instantiated at
//! its first call in the program. Its other calls, as for a lambda that is submitted twice, are in
//! the functions of the program.

use std::collections::{HashMap, HashSet};

use crate::facts::{Action, Decl, Loc, Source};

/// The positions where a program submits a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The first position in source order.
    pub loc: Loc,
    /// The functions of the headers through which the program submits the kernel, each with its
    /// first call.
    pub functions: Vec<(Decl, Loc)>,
}

/// Returns the call site of each kernel entry point.
pub fn find(source: &impl Source, entries: &[Decl], instantiations: &[Decl]) -> Vec<CallSite> {
    let mut callers: HashMap<Decl, Vec<Decl>> = HashMap::new();
    let functions = instantiations.iter().copied().filter(|decl| !entries.contains(decl));
    for_each_call(source, functions, |caller, callee, _| {
        callers.entry(callee).or_default().push(caller)
    });
    entries.iter().map(|&entry| outermost(source, &callers, entry)).collect()
}

/// Returns, for each site, all calls of its functions in the functions of the program, in source
/// order. The first calls are included.
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

/// Calls `tell` for each call in the functions and in the closures that they create, which are not
/// in the list of functions. A function that creates a closure counts as its caller.
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

/// Follows all callers from an entry point. At the end of a path, the last function that the
/// program can have instantiated is the function that the program calls.
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
