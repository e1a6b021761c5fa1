//! The rules of device code: finds the functions that break a rule, and reports each fault with the
//! calls that lead to it.
//!
//! Reports go through clang's diagnostics engine, so clang controls carets, `-Werror`, error limits
//! and exit codes. A fault is reported once per location, with a shortest chain of calls. The notes
//! lead from the function with the fault to the kernel.

use std::collections::HashSet;

use scythe_diag::{Diagnostic, Report};

use crate::call_site::CallSite;
use crate::errors::parts::{ArrayLength, DeviceGlobalMisuse, GlobalFault, GlobalUse, VariadicUse};
use crate::errors::{
    Allocation, Array, DeviceGlobal, Exceptions, ForbiddenFunction, GlobalVariable, IndirectCall,
    InlineAssembly, LongDouble, RecursiveCall, RunTimeTypes, UndefinedFunction, Variadic,
    VirtualCall,
};
use crate::facts::{Action, Event, Function, Global, Kernel, Loc, Misuse, Source};
use crate::reach::{Graph, Root};
use crate::{hints, library};

/// Reports each broken rule of the device code in `graph`. `sites` has the place where each kernel
/// is submitted. Returns true if no rule is broken.
pub fn device_code(
    source: &impl Source,
    graph: &Graph,
    kernels: &[Kernel],
    sites: &[CallSite],
) -> bool {
    let chains = Chains { graph, kernels, sites };
    let mut seen = HashSet::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        for event in &node.events {
            if let Some(fault) = check(graph, event)
                && seen.insert((event.loc, fault.message.clone()))
            {
                let fault = match hints::of_event(graph, &node.function, event) {
                    Some(hint) => fault.note(hint),
                    None => fault,
                };
                source.report(&chains.add(fault.at(event.loc), index));
            }
        }
    }
    let recursive = graph.recursive_calls();
    for &(caller, loc, callee) in &recursive {
        let Function { name, loc: declared, .. } = &graph.nodes[callee].function;
        let note = format!("function '{name}' implemented using recursion declared here");
        let fault = RecursiveCall.report().at(loc).note_at(*declared, note);
        source.report(&chains.add(fault, caller));
    }
    seen.is_empty() && recursive.is_empty()
}

/// Reports objects of class `device_global` that are not variables at namespace scope. Returns true
/// if there are none.
pub fn device_globals(source: &impl Source, misuses: &[Misuse]) -> bool {
    for Misuse { kind, loc, name } in misuses {
        let misuse = DeviceGlobalMisuse { name: name.clone(), kind: *kind };
        source.report(&DeviceGlobal { misuse }.report().at(*loc));
    }
    misuses.is_empty()
}

/// Returns the error of an event that breaks a rule, without a location.
fn check(graph: &Graph, event: &Event) -> Option<Diagnostic<Loc>> {
    let array = |length, name: &String| Array { length, name: name.clone() }.report();
    Some(match &event.action {
        Action::Throw | Action::Try => Exceptions.report(),
        Action::VirtualCall(_) => VirtualCall.report(),
        Action::IndirectCall => IndirectCall.report(),
        Action::TypeId | Action::DynamicCast => RunTimeTypes.report(),
        Action::VaArg => Variadic { variadic: VariadicUse::Read }.report(),
        Action::Asm => InlineAssembly.report(),
        Action::VariableArray(name) => array(ArrayLength::Variable, name),
        Action::ZeroArray(name) => array(ArrayLength::Zero, name),
        Action::LongDouble => LongDouble.report(),
        Action::Global { variable, declared, global, .. } => {
            let fault = global_fault(global)?;
            let variable_use = GlobalUse { fault, is_local: global.static_local };
            let name = variable.rsplit("::").next().unwrap_or(variable);
            declared_at(GlobalVariable { variable: variable_use }.report(), *declared, name)
        }
        Action::Call(decl) | Action::Address(decl) => check_call(&graph.find(*decl)?.function)?,
        Action::Lambda(_) | Action::Double | Action::Half | Action::Decorated(_) => return None,
    })
}

/// Adds a note that shows a declaration.
fn declared_at(error: Diagnostic<Loc>, loc: Loc, name: &str) -> Diagnostic<Loc> {
    error.note_at(loc, format!("'{name}' declared here"))
}

fn global_fault(global: &Global) -> Option<GlobalFault> {
    if global.special {
        None
    } else if global.thread_local {
        Some(GlobalFault::ThreadLocal)
    } else if !global.is_const {
        Some(GlobalFault::NotConst)
    } else if !global.constant_init {
        Some(GlobalFault::DynamicallyInitialised)
    } else if global.undefined {
        Some(GlobalFault::Undefined)
    } else {
        None
    }
}

fn check_call(callee: &Function) -> Option<Diagnostic<Loc>> {
    let declared = |error: Diagnostic<Loc>| Some(declared_at(error, callee.loc, &callee.name));
    if let Some(error) = callee.attribute("scythe::error") {
        let unexplained = || format!("SYCL kernel cannot call '{}'", callee.name);
        let reason = error.text.clone().unwrap_or_else(unexplained);
        return declared(ForbiddenFunction { reason }.report());
    }
    if callee.allocation || (callee.extern_c && library::allocates(&callee.name)) {
        return Some(Allocation.report());
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
        return declared(Variadic { variadic: VariadicUse::Call }.report());
    }
    if callee.defined || callee.sycl_external || callee.defaulted {
        return None;
    }
    if library::throws(&callee.qualified) {
        return declared(Exceptions.report());
    }
    if callee.extern_c && library::provides(&callee.name) {
        return None;
    }
    declared(UndefinedFunction.report())
}

/// The chains of calls that lead to device functions.
struct Chains<'a> {
    graph: &'a Graph,
    kernels: &'a [Kernel],
    sites: &'a [CallSite],
}

impl Chains<'_> {
    /// Adds a note for each call that leads to the function `node`.
    fn add(&self, mut error: Diagnostic<Loc>, node: usize) -> Diagnostic<Loc> {
        let chain: Vec<(usize, Loc)> = self.graph.chain(node).collect();
        let outermost = chain.last().map_or(node, |&(caller, _)| caller);
        // Calls of the headers between the kernel's entry point and its call operator are hidden.
        let is_of_headers = |&&(caller, _): &&(usize, Loc)| {
            let node = &self.graph.nodes[caller];
            matches!(node.root, Some(Root::Kernel(_))) || node.function.in_sycl
        };
        let shown = chain.len() - chain.iter().rev().take_while(is_of_headers).count();
        for &(caller, loc) in &chain[..shown] {
            let name = &self.graph.nodes[caller].function.name;
            error = error.note_at(loc, format!("called by '{name}'"));
        }
        match self.graph.nodes[outermost].root {
            Some(Root::Kernel(index)) => {
                let message = format!("called by kernel '{}'", self.kernels[index].name);
                error.note_at(self.sites[index].loc, message)
            }
            Some(Root::External) => {
                let Function { name, loc, .. } = &self.graph.nodes[outermost].function;
                error.note_at(*loc, format!("'{name}' is device code because it is SYCL_EXTERNAL"))
            }
            None => error,
        }
    }
}
