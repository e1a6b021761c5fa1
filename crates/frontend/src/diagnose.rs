//! What device code must not do: each rule's wording, and the report with its chain of calls.
//!
//! A report goes through clang's own engine, so carets, `-Werror`, error limits and exit codes are
//! clang's. It is given once per place, with a shortest chain, and its notes lead from the function
//! at fault to the kernel.

use std::collections::HashSet;

use crate::call_site::CallSite;
use crate::facts::{
    Action, Event, Function, Global, Kernel, Level, Loc, Misuse, MisuseKind, Source,
};
use crate::library;
use crate::reach::{Graph, Root};

/// A broken rule: the message, and a declaration that explains it.
struct Fault {
    message: String,
    note: Option<(Loc, String)>,
}

impl Fault {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), note: None }
    }

    fn declared(mut self, loc: Loc, name: &str) -> Self {
        self.note = Some((loc, format!("'{name}' declared here")));
        self
    }
}

/// Reports every broken rule of the device code in `graph`; `sites` has one place per kernel, where
/// it is submitted. True when there is none.
pub fn device_code(
    source: &impl Source,
    graph: &Graph,
    kernels: &[Kernel],
    sites: &[CallSite],
) -> bool {
    let reporter = Reporter { source, graph, kernels, sites };
    let mut seen = HashSet::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        for event in &node.events {
            if let Some(fault) = check(graph, event)
                && seen.insert((event.loc, fault.message.clone()))
            {
                reporter.report(index, event.loc, &fault);
            }
        }
    }
    let recursive = graph.recursive_calls();
    for &(caller, loc, callee) in &recursive {
        let function = &graph.nodes[callee].function;
        let mut fault = Fault::new("SYCL kernel cannot call a recursive function");
        fault.note = Some((
            function.loc,
            format!("function '{}' implemented using recursion declared here", function.name),
        ));
        reporter.report(caller, loc, &fault);
    }
    seen.is_empty() && recursive.is_empty()
}

/// Reports objects of class `device_global` where none may be; true when there is none.
pub fn device_globals(source: &impl Source, misuses: &[Misuse]) -> bool {
    for Misuse { kind, loc, name } in misuses {
        let what = match kind {
            MisuseKind::Local => "a local variable",
            MisuseKind::Parameter => "a parameter, which a reference could be",
            MisuseKind::Member => "a non-static member",
            MisuseKind::Array => "an array of them, which a 'device_global' of an array could be",
            MisuseKind::ThreadLocal => "thread-local",
            MisuseKind::NotPublic => "a static member that is not public",
            MisuseKind::New => "made by 'new'",
            MisuseKind::Temporary => "a temporary object",
        };
        let subject = if name.is_empty() { "this one".to_owned() } else { format!("'{name}'") };
        let message = format!(
            "a 'device_global' must be a variable at namespace scope or a public static member, \
             but {subject} is {what}"
        );
        source.report(Level::Error, *loc, &message);
    }
    misuses.is_empty()
}

/// The rule that an event breaks.
fn check(graph: &Graph, event: &Event) -> Option<Fault> {
    Some(match &event.action {
        Action::Throw | Action::Try => Fault::new("SYCL kernel cannot use exceptions"),
        Action::VirtualCall(_) => Fault::new("SYCL kernel cannot call a virtual function"),
        Action::IndirectCall => Fault::new("SYCL kernel cannot call through a function pointer"),
        Action::TypeId | Action::DynamicCast => Fault::new("SYCL kernel cannot use rtti"),
        Action::VaArg => Fault::new("SYCL kernel cannot use 'va_arg'"),
        Action::Asm => Fault::new("SYCL kernel cannot use inline assembly"),
        Action::VariableArray(name) => {
            Fault::new(format!("SYCL kernel cannot use a variable-length array ('{name}')"))
        }
        Action::ZeroArray(name) => {
            Fault::new(format!("SYCL kernel cannot use a zero-length array ('{name}')"))
        }
        Action::LongDouble => {
            Fault::new("SYCL kernel cannot use 'long double', which devices do not have")
        }
        Action::Global { variable, declared, global, .. } => {
            check_global(global)?.declared(*declared, variable)
        }
        Action::Call(decl) | Action::Address(decl) => check_call(&graph.find(*decl)?.function)?,
        Action::Lambda(_) | Action::Double | Action::Half | Action::Decorated(_) => return None,
    })
}

fn check_global(global: &Global) -> Option<Fault> {
    if global.special {
        return None;
    }
    let what = if global.static_local { "static local" } else { "global" };
    Some(Fault::new(if global.thread_local {
        format!("SYCL kernel cannot use a thread-local {what} variable")
    } else if !global.is_const {
        format!("SYCL kernel cannot use a non-const {what} variable")
    } else if !global.constant_init {
        format!("SYCL kernel cannot use a dynamically initialised {what} variable")
    } else if global.undefined {
        format!(
            "SYCL kernel cannot use a {what} variable that is not defined in this translation unit"
        )
    } else {
        return None;
    }))
}

fn check_call(callee: &Function) -> Option<Fault> {
    if let Some(error) = callee.attribute("scythe::error") {
        let message = error
            .text
            .clone()
            .unwrap_or_else(|| format!("SYCL kernel cannot call '{}'", callee.name));
        return Some(Fault::new(message).declared(callee.loc, &callee.name));
    }
    if callee.allocation || (callee.extern_c && library::allocates(&callee.name)) {
        return Some(Fault::new("SYCL kernel cannot allocate storage"));
    }
    if callee.builtin || callee.attribute("scythe::device_library").is_some() {
        return None;
    }
    if !callee.defined
        && (library::provides_qualified(&callee.qualified) || library::asserts(&callee.qualified))
    {
        return None;
    }
    if !callee.defined && callee.extern_c && library::prints(&callee.name) {
        return None;
    }
    if callee.variadic {
        return Some(
            Fault::new("SYCL kernel cannot call a variadic function")
                .declared(callee.loc, &callee.name),
        );
    }
    if callee.defined || callee.sycl_external || callee.defaulted {
        return None;
    }
    if library::throws(&callee.qualified) {
        return Some(
            Fault::new("SYCL kernel cannot use exceptions").declared(callee.loc, &callee.name),
        );
    }
    if callee.extern_c && library::provides(&callee.name) {
        return None;
    }
    let message = "SYCL kernel cannot call an undefined function without SYCL_EXTERNAL attribute";
    Some(Fault::new(message).declared(callee.loc, &callee.name))
}

struct Reporter<'a, S> {
    source: &'a S,
    graph: &'a Graph,
    kernels: &'a [Kernel],
    sites: &'a [CallSite],
}

impl<S: Source> Reporter<'_, S> {
    /// The error at `loc` in the function `node`, its note, and the calls that lead there.
    fn report(&self, node: usize, loc: Loc, fault: &Fault) {
        self.source.report(Level::Error, loc, &fault.message);
        if let Some((loc, note)) = &fault.note {
            self.source.report(Level::Note, *loc, note);
        }
        let chain: Vec<(usize, Loc)> = self.graph.chain(node).collect();
        let outermost = chain.last().map_or(node, |&(caller, _)| caller);
        // What the headers do between a kernel's entry point and its call operator is of no
        // interest.
        let is_of_headers = |&&(caller, _): &&(usize, Loc)| {
            let node = &self.graph.nodes[caller];
            matches!(node.root, Some(Root::Kernel(_))) || node.function.in_sycl
        };
        let shown = chain.len() - chain.iter().rev().take_while(is_of_headers).count();
        for &(caller, loc) in &chain[..shown] {
            let name = &self.graph.nodes[caller].function.name;
            self.source.report(Level::Note, loc, &format!("called by '{name}'"));
        }
        match self.graph.nodes[outermost].root {
            Some(Root::Kernel(index)) => {
                let message = format!("called by kernel '{}'", self.kernels[index].name);
                self.source.report(Level::Note, self.sites[index].loc, &message);
            }
            Some(Root::External) => {
                let function = &self.graph.nodes[outermost].function;
                let message =
                    format!("'{}' is device code because it is SYCL_EXTERNAL", function.name);
                self.source.report(Level::Note, function.loc, &message);
            }
            None => {}
        }
    }
}
