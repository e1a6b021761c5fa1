//! The positions that a debugger shows: hides the functions of the SYCL headers, so that stepping
//! goes from a line of the program to the next one.
//!
//! A kernel itself only calls the program's call operator, so it gets the position of that
//! operator. In code for debuggers, functions in the namespace `sycl` lose their lines, and code
//! that was inlined from them gets the position of the call in the program.

use scythe_llvm::{DebugLoc, DebugPosition, DebugScope, Function, Metadata};
use std::collections::{HashMap, HashSet};

/// The namespace of the SYCL headers.
const LIBRARY: &str = "sycl";

/// Returns the program's function that the kernel calls: its call operator. Functions of the SYCL
/// headers may be between both.
pub fn home(kernel: Function<'_>) -> Option<DebugScope<'_>> {
    let mut seen = HashSet::from([kernel]);
    let mut work = vec![kernel];
    let mut at = 0;
    while let Some(&function) = work.get(at) {
        at += 1;
        let own = DebugScope::of(function);
        let called = own.filter(|own| function != kernel && !is_library(*own));
        if let Some(found) = called.or_else(|| inlined(function, own)) {
            return Some(found);
        }
        let callees = function.instructions().filter_map(|i| i.called_function());
        work.extend(callees.filter(|f| !f.is_declaration() && seen.insert(*f)));
    }
    None
}

/// Returns the outermost function of the program that is inlined into a function with the scope
/// `own`.
fn inlined<'ctx>(
    function: Function<'ctx>,
    own: Option<DebugScope<'ctx>>,
) -> Option<DebugScope<'ctx>> {
    own?;
    function.instructions().find_map(|instruction| {
        let mut next = instruction.debug_position();
        // The calls come last, the innermost first.
        let mut outermost = None;
        while let Some(position) = next {
            let function = position.scope().function();
            outermost = function.filter(|f| Some(*f) != own && !is_library(*f)).or(outermost);
            next = position.inlined_at();
        }
        outermost
    })
}

/// Returns the positions of code that does not belong to the SYCL headers. A kernel itself does.
pub fn of_program(function: Function<'_>) -> Vec<DebugLoc> {
    let kernel = DebugScope::of(function).filter(|_| function.is_kernel());
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for instruction in function.instructions() {
        let mut next = instruction.debug_position();
        while let Some(position) = next.filter(|&position| seen.insert(position)) {
            let scope = position.scope().function();
            let is_hidden = scope.is_none_or(|f| Some(f) == kernel || is_library(f));
            if !is_hidden && position.line() != 0 {
                found.push(position.place());
            }
            next = position.inlined_at();
        }
    }
    found
}

/// Gives the code of a function its positions. `home` is the position of a kernel's own code. If
/// `hides_headers` is set, hides the functions of the SYCL headers.
pub fn place<'ctx>(function: Function<'ctx>, home: Option<DebugScope<'ctx>>, hides_headers: bool) {
    let Some(own) = DebugScope::of(function) else { return };
    if hides_headers && is_library(own) && home.is_none() && of_program(function).is_empty() {
        return function.strip_debug_info();
    }
    let context = function.ty().context();
    let mut hidden = Hidden { own, home, hides_headers, calls: HashMap::new(), context };
    function.rewrite_debug_locs(&mut |position, is_variable| {
        let is_hidden = position.scope().function().is_some_and(|f| hidden.hides(f));
        (!(is_variable && is_hidden)).then(|| hidden.position(position)).flatten()
    });
}

/// Returns whether a function belongs to the SYCL headers.
fn is_library(function: DebugScope<'_>) -> bool {
    let mut next = Some(function);
    let mut outermost = None;
    while let Some(scope) = next {
        // Files and compile units have no parent either, but their name is that of a file.
        let parent = scope.parent();
        if !scope.is_file() {
            outermost = Some(scope);
        }
        next = parent;
    }
    outermost.is_some_and(|scope| scope.name() == LIBRARY)
}

struct Hidden<'ctx> {
    own: DebugScope<'ctx>,
    home: Option<DebugScope<'ctx>>,
    hides_headers: bool,
    /// The positions of inlined calls, by the old ones.
    calls: HashMap<DebugPosition<'ctx>, Metadata<'ctx>>,
    context: scythe_llvm::ContextRef<'ctx>,
}

impl<'ctx> Hidden<'ctx> {
    fn hides(&self, function: DebugScope<'ctx>) -> bool {
        self.hides_headers && is_library(function)
    }

    /// Returns the position of an instruction without hidden functions.
    fn position(&mut self, old: DebugPosition<'ctx>) -> Option<Metadata<'ctx>> {
        let (shown, line, column) = self.shown(old)?;
        let inlined_at = shown.inlined_at().and_then(|call| self.call(call));
        Some(self.scope(shown).position(self.context, line, column, inlined_at))
    }

    /// Returns the position of an inlined call without hidden functions.
    fn call(&mut self, old: DebugPosition<'ctx>) -> Option<Metadata<'ctx>> {
        if let Some(&known) = self.calls.get(&old) {
            return Some(known);
        }
        let (shown, line, column) = self.shown(old)?;
        let new = match shown == old {
            true => {
                let inlined_at = shown.inlined_at().and_then(|call| self.call(call));
                self.scope(shown).call_position(line, column, inlined_at)
            }
            // Calls in the same hidden function are one call to the program.
            false => self.call(shown)?,
        };
        self.calls.insert(old, new);
        Some(new)
    }

    /// Returns the innermost position that is not hidden, with the line and column to show.
    fn shown(&self, old: DebugPosition<'ctx>) -> Option<(DebugPosition<'ctx>, u32, u32)> {
        let mut next = Some(old);
        while let Some(position) = next {
            match position.scope().function() {
                Some(function) if function == self.own && self.home.is_some() => {
                    return Some((position, self.home.map_or(0, DebugScope::line), 0));
                }
                // A function of the headers into which code of the program is inlined keeps its
                // scope, without lines.
                Some(function) if function == self.own && self.hides(function) => {
                    return Some((position, 0, 0));
                }
                Some(function) if self.hides(function) => next = position.inlined_at(),
                _ => return Some((position, position.line(), position.column())),
            }
        }
        None
    }

    /// Returns the scope of a shown position. The blocks of a kernel's own code are in files of the
    /// headers.
    fn scope(&self, shown: DebugPosition<'ctx>) -> DebugScope<'ctx> {
        let is_own = shown.scope().function() == Some(self.own);
        if is_own && self.home.is_some() { self.own } else { shown.scope() }
    }
}
