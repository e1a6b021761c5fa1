//! Finds the aspects that each function uses. This pass must run before any pass that optimises.
//!
//! Afterwards
//! * `!intel_used_aspects` of every function lists the aspects that the function and its direct and
//!   indirect callees use, in ascending order. Aspects that a callee declares with `device_has`
//!   count as used by its callers. Aspects that a branch of `if_device_has` uses do not, and are
//!   listed on the function of the branch ([`crate::device_has`]);
//! * `!scythe_called_sub_group_sizes` lists, in the same way, the sub-group sizes that the callees
//!   of a function require;
//! * every kernel and `SYCL_EXTERNAL` function has `!intel_fixed_targets`, which is empty without
//!   `-fsycl-fixed-targets=`;
//! * `!scythe_aspect_origins` of every kernel lists the source of each aspect;
//! * the pass has reported functions that use an aspect which they do not declare, or which a fixed
//!   target lacks.
//!
//! The pass takes linear time: one walk over the instructions, and one visit of each function per
//! aspect that the function uses.

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
use scan::Scan;
use scythe_llvm::Module;
use std::collections::{BTreeMap, HashMap};
use warning::Warning;

/// The pass `aspects`. See the module documentation.
pub struct Aspects<'a> {
    /// Source-level facts from the front end.
    pub sources: &'a dyn Sources,
    /// The targets of `-fsycl-fixed-targets=`, in the order given.
    pub fixed_targets: &'a [FixedTarget],
    /// The function that receives each warning, in the module's order.
    pub report: &'a dyn Fn(Warning),
}

impl Aspects<'static> {
    /// The pass for modules without source. It reports no warnings.
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
        write_sub_group_sizes(module, kinds, &analysis.functions);
        let changed = fixed_targets::mark(module, kinds, self.fixed_targets);
        warning::undeclared(&analysis).into_iter().for_each(self.report);
        fixed_targets::check(&analysis, kinds, self.fixed_targets)
            .into_iter()
            .for_each(self.report);
        Ok(changed || !analysis.reaches.is_empty())
    }
}

/// Returns the callers of each function, without the calls of branches that only some devices take.
fn callers(functions: &Scan<'_>) -> Callers {
    let count = functions.nodes.len();
    let calls = (0..count as u32)
        .flat_map(|caller| functions.calls(caller).iter().map(move |call| (caller, call.0)));
    let is_branch = |callee: u32| {
        functions.nodes.get(callee as usize).is_some_and(|node| node.condition.is_some())
    };
    Callers::new(count, calls.filter(move |(_, callee)| !is_branch(*callee)))
}

/// Computes the functions that use each aspect of the module.
fn propagate(functions: &Scan<'_>) -> BTreeMap<u32, Reach> {
    let callers = callers(functions);
    let mut users: BTreeMap<u32, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    for (number, node) in (0u32..).zip(&functions.nodes) {
        functions
            .uses(number)
            .iter()
            .for_each(|(aspect, _)| users.entry(*aspect).or_default().0.push(number));
        node.declared
            .iter()
            .flatten()
            .for_each(|aspect| users.entry(*aspect).or_default().1.push(number));
    }
    users
        .into_iter()
        .map(|(aspect, (users, declarers))| (aspect, Reach::new(&callers, &users, &declarers)))
        .collect()
}

/// Writes, on each function, the sub-group sizes that its direct and indirect callees require,
/// except for the size that the function itself requires.
fn write_sub_group_sizes(module: &Module<'_>, kinds: Kinds, functions: &Scan<'_>) {
    let mut users: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, node) in (0u32..).zip(&functions.nodes) {
        if let Some(size) = kinds.sub_group_size(node.function) {
            users.entry(size).or_default().push(number);
        }
    }
    if users.is_empty() {
        return;
    }
    let callers = callers(functions);
    let reaches: Vec<_> =
        users.into_iter().map(|(size, users)| (size, Reach::new(&callers, &users, &[]))).collect();
    for (number, node) in (0u32..).zip(&functions.nodes) {
        let own = kinds.sub_group_size(node.function);
        let called =
            reaches.iter().filter(|(size, reach)| Some(*size) != own && reach.uses(number));
        let owner = |reach: &Reach| {
            reach.chain(number).last().map(|&owner| functions.nodes[owner as usize].function.name())
        };
        let called: Vec<_> =
            called.filter_map(|(size, reach)| Some((*size, owner(reach)?))).collect();
        if !called.is_empty() {
            kinds.set_called_sub_group_sizes(node.function, module.context(), &called);
        }
    }
}

fn write(module: &Module<'_>, kinds: Kinds, analysis: &Analysis<'_, '_>) {
    let context = module.context();
    // There are few distinct sets of aspects, so functions share nodes.
    let mut nodes = HashMap::new();
    let mut aspects = Vec::new();
    for (number, node) in (0u32..).zip(&analysis.functions.nodes) {
        aspects.clear();
        aspects.extend(
            analysis
                .reaches
                .iter()
                .filter(|(_, reach)| reach.uses(number))
                .map(|(&aspect, _)| aspect),
        );
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
