//! Which aspects each function uses: the pass that must see the module before any other does.
//!
//! Afterwards
//! * `!intel_used_aspects` of every function lists the aspects that it and all it calls use, in ascending order. What a
//!   callee declares with `device_has` counts as used by its callers;
//! * every kernel and `SYCL_EXTERNAL` function has `!intel_fixed_targets`, empty without `-fsycl-fixed-targets=`;
//! * kernels tell in `!scythe_aspect_origins` what brings each aspect in;
//! * functions that use what they do not declare, or what a fixed target lacks, have been reported.
//!
//! The work is linear: one walk over the instructions, and one visit of each function per aspect that it uses.

pub mod chain;
pub mod metadata;
pub mod reach;
pub mod requirements;
mod scan;
pub mod warning;

use crate::fixed_targets::{self, FixedTarget};
use crate::{Error, Pass};
use chain::{Analysis, NoSources, Sources};
use metadata::Kinds;
use reach::{Callers, Reach};
use scan::{Node, Scan};
use scythe_abi::names::MODULE_ID_ATTRIBUTE;
use scythe_llvm::{Module, Place};
use std::collections::{BTreeMap, HashMap};
use warning::Warning;

/// See the file's head.
pub struct Aspects<'a> {
    /// What the front end knows.
    pub sources: &'a dyn Sources,
    /// `-fsycl-fixed-targets=`, in the order given.
    pub fixed_targets: &'a [FixedTarget],
    /// Is told of each warning, in the module's order.
    pub report: &'a dyn Fn(Warning),
}

impl Aspects<'static> {
    /// For modules without source, and without anyone who listens.
    pub const SILENT: Self = Self { sources: &NoSources, fixed_targets: &[], report: &|_| {} };
}

impl Pass for Aspects<'_> {
    fn name(&self) -> &'static str {
        "aspects"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        let kinds = Kinds::new(module.context());
        let functions = scan::scan(module, kinds);
        let reaches = propagate(&functions);
        let analysis = Analysis { functions, reaches, sources: self.sources };
        write(module, kinds, &analysis);
        let changed = fixed_targets::mark(module, kinds, self.fixed_targets);
        warning::undeclared(&analysis).into_iter().for_each(self.report);
        fixed_targets::check(&analysis, kinds, self.fixed_targets).into_iter().for_each(self.report);
        Ok(changed || !analysis.reaches.is_empty())
    }
}

/// The ways of every aspect that the module knows.
fn propagate(functions: &Scan<'_>) -> BTreeMap<u32, Reach> {
    let count = functions.nodes.len();
    let calls = (0..count as u32).flat_map(|caller| functions.calls(caller).iter().map(move |call| (caller, call.0)));
    let calls = calls.filter(|(_, callee)| !functions.nodes.get(*callee as usize).is_some_and(|node| node.conditional));
    let callers = Callers::new(count, calls);
    let mut users: BTreeMap<u32, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    for (number, node) in (0u32..).zip(&functions.nodes) {
        functions.uses(number).iter().for_each(|(aspect, _)| users.entry(*aspect).or_default().0.push(number));
        node.declared.iter().flatten().for_each(|aspect| users.entry(*aspect).or_default().1.push(number));
    }
    users.into_iter().map(|(aspect, (users, declarers))| (aspect, Reach::new(&callers, &users, &declarers))).collect()
}

/// Which functions only branches for some devices reach: conditional ones, and what they call and entry points do not.
fn in_branches(functions: &Scan<'_>) -> Vec<bool> {
    let nodes = &functions.nodes;
    let is_root = |node: &Node<'_>| {
        node.function.is_kernel() || node.function.string_attribute(Place::Function, MODULE_ID_ATTRIBUTE).is_some()
    };
    let reached = |starts: Vec<usize>, enter: bool| {
        let mut seen = vec![false; nodes.len()];
        let mut stack = starts;
        while let Some(number) = stack.pop() {
            if !std::mem::replace(&mut seen[number], true) {
                let callees = functions.calls(number as u32).iter().map(|call| call.0 as usize);
                stack.extend(callees.filter(|&callee| callee < nodes.len() && (enter || !nodes[callee].conditional)));
            }
        }
        seen
    };
    let starts = |wanted: &dyn Fn(usize) -> bool| (0..nodes.len()).filter(|&number| wanted(number)).collect();
    let branches = reached(starts(&|number| nodes[number].conditional), true);
    if !branches.contains(&true) {
        return branches;
    }
    let always = reached(starts(&|number| is_root(&nodes[number]) && !nodes[number].conditional), false);
    branches.iter().zip(always).map(|(&branch, always)| branch && !always).collect()
}

fn write(module: &Module<'_>, kinds: Kinds, analysis: &Analysis<'_, '_>) {
    let context = module.context();
    let in_branches = in_branches(&analysis.functions);
    // Few different sets of aspects exist, and most functions have that of their neighbours.
    let mut nodes = HashMap::new();
    let mut aspects = Vec::new();
    for (number, node) in (0u32..).zip(&analysis.functions.nodes) {
        if in_branches[number as usize] {
            kinds.erase_used(node.function);
            continue;
        }
        aspects.clear();
        aspects.extend(analysis.reaches.iter().filter(|(_, reach)| reach.uses(number)).map(|(&aspect, _)| aspect));
        if !aspects.is_empty() {
            if !nodes.contains_key(&aspects) {
                nodes.insert(aspects.clone(), metadata::numbers(context, &aspects));
            }
            kinds.set_used_node(node.function, nodes[&aspects]);
        }
        let declares = node.declared.as_ref().is_some_and(|declared| !declared.is_empty());
        if node.function.is_kernel() && (declares || !aspects.is_empty()) {
            kinds.set_origins(node.function, context, &analysis.origins(number));
        }
    }
}
