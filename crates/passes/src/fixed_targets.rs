//! `-fsycl-fixed-targets=`: the promise that all device code of a translation unit runs on the
//! listed targets only.
//!
//! [`mark`] writes the list on every entry point. [`check`] finds requirements that a listed target
//! does not meet. Both are part of the pass [`crate::Aspects`], whose analysis they need.

use crate::aspects::chain::{Analysis, Chain, Link, aspect_name};
use crate::aspects::metadata::Kinds;
use crate::aspects::warning::{Group, Warning};
use scythe_abi::condition::Condition;
use scythe_abi::names::MODULE_ID_ATTRIBUTE;
use scythe_llvm::{Function, Module, Place as At};
use std::collections::BTreeSet;

/// A target of the list, with its known features.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedTarget {
    pub name: String,
    pub aspects: BTreeSet<u32>,
    /// Whether the target is a family of devices, which may have aspects besides those listed. If
    /// so, [`check`] reports nothing about the aspects of the target.
    pub may_support_other_aspects: bool,
    /// The supported sub-group sizes, or an empty set if they are not known.
    pub sub_group_sizes: BTreeSet<u32>,
    /// The maximum number of work-items in a work-group, if it is known.
    pub max_work_group_size: Option<u64>,
}

/// Writes `!intel_fixed_targets` on every kernel and `SYCL_EXTERNAL` function that the module
/// defines. Returns whether there is one.
pub fn mark(module: &Module<'_>, kinds: Kinds, targets: &[FixedTarget]) -> bool {
    let names: Vec<String> = targets.iter().map(|target| target.name.clone()).collect();
    let mut changed = false;
    for function in module.functions().filter(|function| is_entry_point(*function)) {
        kinds.set_fixed_targets(function, module.context(), &names);
        changed = true;
    }
    changed
}

/// Returns whether the function is a kernel or `SYCL_EXTERNAL` function that the module defines.
fn is_entry_point(function: Function<'_>) -> bool {
    function.is_kernel()
        || (!function.is_declaration()
            && function.string_attribute(At::Function, MODULE_ID_ATTRIBUTE).is_some())
}

impl FixedTarget {
    /// Returns whether devices of the target may call a function with this condition. A family of
    /// devices may have aspects besides those listed, so the condition may hold for some of its
    /// devices.
    fn may_call(&self, branch: &Condition) -> bool {
        self.may_support_other_aspects || branch.holds(|aspect| self.aspects.contains(&aspect))
    }
}

/// Reports requirements that the targets do not meet: one warning per function that itself uses or
/// declares an aspect, and one per required size. Functions that are only reachable through
/// branches of `if_device_has` count for the targets that take these branches.
pub fn check(analysis: &Analysis<'_, '_>, kinds: Kinds, targets: &[FixedTarget]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if targets.is_empty() {
        return warnings;
    }
    let mut paths = CallPaths::new(analysis, targets);
    for (number, node) in (0u32..).zip(&analysis.functions.nodes) {
        let mut aspects: BTreeSet<u32> =
            analysis.functions.uses(number).iter().map(|(aspect, _)| *aspect).collect();
        // A kernel repeats the declaration of its functor's call operator.
        if !node.function.is_kernel() {
            aspects.extend(node.declared.iter().flatten());
        }
        for aspect in aspects {
            let lacks =
                |t: &FixedTarget| !t.may_support_other_aspects && !t.aspects.contains(&aspect);
            let Some((lacking, chain)) = paths.lacking(number, lacks) else { continue };
            let chain = analysis.describe(chain, aspect);
            let message = format!(
                "function '{}' uses aspect '{}' not supported by {lacking} in \
                 '-fsycl-fixed-targets'",
                last_name(&chain),
                aspect_name(aspect)
            );
            warnings.push(Warning::with_chain(Group::FixedTargets, message, &chain));
        }
        warnings.extend(sizes(analysis, kinds, number, &mut paths));
    }
    warnings
}

fn last_name(chain: &Chain) -> &str {
    chain.links.last().map_or("", |link: &Link| &link.name)
}

/// Reports required sizes that a target does not support.
fn sizes(
    analysis: &Analysis<'_, '_>,
    kinds: Kinds,
    number: u32,
    paths: &mut CallPaths<'_, '_, '_>,
) -> Vec<Warning> {
    let function = analysis.function(number);
    // The kernel has the sizes of its functor's call operator.
    if analysis.sources.is_kernel_body(&function.name()) {
        return Vec::new();
    }
    let warning = |what: &str, size: &str, lacking: Option<(String, Vec<u32>)>| {
        let symbol = function.name();
        let message = format!(
            "function '{}' has required {what} size '{size}' not supported by {} in \
             '-fsycl-fixed-targets'",
            analysis.name(number, &symbol),
            lacking?.0
        );
        let place = analysis.sources.declared_place(&symbol);
        Some(Warning { group: Group::FixedTargets, place, message, details: Vec::new() })
    };
    let sub_group = kinds.sub_group_size(function).and_then(|size| {
        let lacks =
            |t: &FixedTarget| !t.sub_group_sizes.is_empty() && !t.sub_group_sizes.contains(&size);
        warning("sub-group", &size.to_string(), paths.lacking(number, lacks))
    });
    let work_group = kinds.work_group_size(function).and_then(|size| {
        let items = size.iter().fold(1u64, |items, &dim| items.saturating_mul(dim.into()));
        let lacks = |t: &FixedTarget| t.max_work_group_size.is_some_and(|most| items > most);
        let shown = size.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        warning("work-group", &shown, paths.lacking(number, lacks))
    });
    sub_group.into_iter().chain(work_group).collect()
}

/// Lists the targets in words. Returns `None` for an empty list.
fn names(targets: &[&FixedTarget]) -> Option<String> {
    let names: Vec<String> = targets.iter().map(|t| format!("'{}'", t.name)).collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("target {one}")),
        [all @ .., last] => Some(format!("targets {} and {last}", all.join(", "))),
    }
}

/// The shortest call paths from entry points to every function, for each target. The search for a
/// target runs when the first path is requested. If no function has a condition, one search serves
/// all targets.
struct CallPaths<'a, 'b, 'ctx> {
    analysis: &'a Analysis<'b, 'ctx>,
    targets: &'a [FixedTarget],
    has_branches: bool,
    /// The caller of each function on the shortest path, by the target's number.
    searches: Vec<Option<Vec<Option<u32>>>>,
}

impl<'a, 'b, 'ctx> CallPaths<'a, 'b, 'ctx> {
    fn new(analysis: &'a Analysis<'b, 'ctx>, targets: &'a [FixedTarget]) -> Self {
        let has_branches = analysis.functions.nodes.iter().any(|node| node.condition.is_some());
        Self { analysis, targets, has_branches, searches: vec![None; targets.len()] }
    }

    /// Returns the targets, in words, for which `lacks` is true and which may run the function, and
    /// the call path from an entry point to the function on the first of them.
    fn lacking(
        &mut self,
        function: u32,
        lacks: impl Fn(&FixedTarget) -> bool,
    ) -> Option<(String, Vec<u32>)> {
        let targets = self.targets;
        let (mut lacking, mut first) = (Vec::new(), None);
        for (number, target) in targets.iter().enumerate().filter(|(_, target)| lacks(target)) {
            if let Some(way) = self.to(function, number) {
                lacking.push(target);
                first.get_or_insert(way);
            }
        }
        names(&lacking).zip(first)
    }

    /// Returns the call path from an entry point to `function`, both included, or `None` if no
    /// entry point reaches the function. An entry point is its own caller.
    fn to(&mut self, function: u32, target: usize) -> Option<Vec<u32>> {
        let target = if self.has_branches { target } else { 0 };
        let (analysis, fixed) = (self.analysis, &self.targets[target]);
        let callers = self.searches[target].get_or_insert_with(|| search(analysis, fixed));
        let mut chain = vec![function];
        let mut at = function;
        while let Some(caller) = callers[at as usize].filter(|caller| *caller != at) {
            chain.push(caller);
            at = caller;
        }
        callers[at as usize]?;
        chain.reverse();
        Some(analysis.without_entry(chain))
    }
}

/// Finds the caller of each function on devices of the target, along the shortest paths from entry
/// points.
fn search(analysis: &Analysis<'_, '_>, target: &FixedTarget) -> Vec<Option<u32>> {
    let nodes = &analysis.functions.nodes;
    let mut callers = vec![None; nodes.len()];
    let entry_points = (0u32..).zip(nodes).filter(|(_, node)| is_entry_point(node.function));
    let mut queue: Vec<u32> = entry_points.map(|(number, _)| number).collect();
    queue.iter().for_each(|&entry| callers[entry as usize] = Some(entry));
    let mut next = 0;
    while let Some(&caller) = queue.get(next) {
        next += 1;
        for (callee, _) in analysis.functions.calls(caller) {
            let is_called = nodes[*callee as usize]
                .condition
                .as_ref()
                .is_none_or(|branch| target.may_call(branch));
            if is_called && callers[*callee as usize].is_none() {
                callers[*callee as usize] = Some(caller);
                queue.push(*callee);
            }
        }
    }
    callers
}
