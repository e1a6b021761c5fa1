//! What an image requires once it is put together, and functions that require more than the kernels which call them say.
//!
//! Inside of a translation unit callers list what they call uses. A `SYCL_EXTERNAL` function of another unit may use what its
//! declaration does not tell, or be compiled for other fixed targets: the image requires that, too, and there is a warning. It
//! is about the function at which the calls from an entry point first meet what was not expected, not about all behind it.
//!
//! What only the branches of `if_device_has` reach is required by none: the device that needs it has it.

use crate::group::EntryPoint;
use crate::name::{kernel_name, symbol_name};
use scythe_abi::aspect::Aspect;
use scythe_abi::launch::KernelLaunch;
use scythe_diag::{Diagnostic, Location};
use scythe_llvm::{Function, GlobalGraph, Module};
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::aspects::requirements::Requirements;
use scythe_passes::device_has;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The code of these warnings: what `-W` options call them.
pub const WARNING: &str = "-Wsycl-external";

/// What the functions of a module say of themselves, by their numbers in its graph; only those that say something.
pub struct Facts {
    said: HashMap<u32, Fact>,
    /// Functions that only some devices call.
    conditional: HashSet<u32>,
}

struct Fact {
    /// Used and declared.
    aspects: BTreeSet<u32>,
    sub_group_size: Option<u32>,
    /// Empty for a function that was compiled without fixed targets, `None` where nobody knows.
    fixed_targets: Option<BTreeSet<String>>,
}

impl Facts {
    pub fn new(module: &Module<'_>, graph: &GlobalGraph<'_>, kinds: Kinds) -> Self {
        let mut said = HashMap::new();
        let mut conditional = HashSet::new();
        for function in module.functions().filter(|function| !function.is_intrinsic()) {
            if device_has::is_conditional(function) {
                conditional.extend(graph.number(function.as_value()));
                continue;
            }
            let mut aspects = kinds.used(function);
            aspects.extend(kinds.declared(function).unwrap_or_default());
            let sub_group_size = kinds.sub_group_size(function);
            let fixed_targets = kinds.fixed_targets(function);
            if aspects.is_empty() && sub_group_size.is_none() && fixed_targets.is_none() {
                continue;
            }
            if let Some(number) = graph.number(function.as_value()) {
                said.insert(number, Fact { aspects, sub_group_size, fixed_targets });
            }
        }
        Self { said, conditional }
    }
}

/// An image that was put together.
pub struct Bundle<'a, 'ctx> {
    pub graph: &'a GlobalGraph<'ctx>,
    pub facts: &'a Facts,
    /// Not empty; all may share an image.
    pub entries: &'a [&'a EntryPoint<'ctx>],
    /// All that is in the image, in ascending order.
    pub members: &'a [u32],
    pub rows: &'a HashMap<String, KernelLaunch>,
}

impl Bundle<'_, '_> {
    /// What a device must have for the image, and what is odd about it.
    pub fn requirements(&self) -> (Requirements, Vec<Diagnostic>) {
        let members = self.always_reached();
        let Self { graph, facts, entries, rows, .. } = *self;
        Bundle { graph, facts, entries, members: &members, rows }.requirements_of_members()
    }

    /// The members that entry points reach without a branch that only some devices take.
    fn always_reached(&self) -> Vec<u32> {
        if self.facts.conditional.is_empty() {
            return self.members.to_vec();
        }
        let entries = self.entries.iter().filter_map(|entry| self.graph.number(entry.function.as_value()));
        let mut work: Vec<u32> = entries.collect();
        let mut reached: BTreeSet<u32> = work.iter().copied().collect();
        while let Some(user) = work.pop() {
            let needs = self.graph.needs(user).iter().filter(|used| !self.facts.conditional.contains(used));
            work.extend(needs.filter(|used| reached.insert(**used)));
        }
        self.members.iter().copied().filter(|member| reached.contains(member)).collect()
    }

    fn requirements_of_members(&self) -> (Requirements, Vec<Diagnostic>) {
        let expected = Requirements::together(self.entries.iter().map(|entry| &entry.requirements));
        let mut warnings = Vec::new();
        let mut all = expected.clone();
        match &expected.fixed_targets {
            Some(targets) => self.fixed_targets(targets, &mut all, &mut warnings),
            None => self.features(&expected, &mut all, &mut warnings),
        }
        (all, warnings)
    }

    fn facts(&self) -> impl Iterator<Item = (u32, &Fact)> {
        self.members.iter().filter_map(|member| Some((*member, self.facts.said.get(member)?)))
    }

    /// Without fixed targets: aspects and sub-group sizes that the entry points do not know of.
    fn features(&self, expected: &Requirements, all: &mut Requirements, warnings: &mut Vec<Diagnostic>) {
        for (_, fact) in self.facts() {
            all.aspects.extend(&fact.aspects);
            all.sub_group_sizes.extend(fact.sub_group_size);
        }
        for &aspect in all.aspects.difference(&expected.aspects) {
            let shown = Aspect::from_u32(aspect).map_or_else(|| aspect.to_string(), |known| known.as_str().to_owned());
            self.report(&|fact| fact.aspects.contains(&aspect), warnings, |function| {
                format!(
                    "function '{function}' uses aspect '{shown}' not expected by its calling kernel. Missing \
                     [[sycl::device_has()]] on SYCL_EXTERNAL function?"
                )
            });
        }
        for &size in all.sub_group_sizes.difference(&expected.sub_group_sizes) {
            self.report(&|fact| fact.sub_group_size == Some(size), warnings, |function| {
                format!(
                    "function '{function}' has required sub-group size '{size}' that does not match its calling kernel. \
                     Missing [[sycl::reqd_sub_group()]] attribute on SYCL_EXTERNAL function?"
                )
            });
        }
    }

    /// With fixed targets: functions that were compiled with others. Where all of them run is left; one that was compiled without
    /// any promises nothing, and takes nothing away.
    fn fixed_targets(&self, targets: &BTreeSet<String>, all: &mut Requirements, warnings: &mut Vec<Diagnostic>) {
        let mut left = targets.clone();
        let mut differ = false;
        for (_, fact) in self.facts() {
            all.aspects.extend(&fact.aspects);
            all.sub_group_sizes.extend(fact.sub_group_size);
            let Some(others) = fact.fixed_targets.as_ref().filter(|others| *others != targets) else { continue };
            differ = true;
            if !others.is_empty() {
                left.retain(|target| others.contains(target));
            }
        }
        if differ {
            let odd = |fact: &Fact| fact.fixed_targets.as_ref().is_some_and(|others| others != targets);
            self.report(&odd, warnings, |function| {
                format!(
                    "function '{function}' compiled with a different `-fsycl-fixed-targets` switch than its calling kernel."
                )
            });
        }
        all.fixed_targets = Some(left);
    }

    /// One warning for each function that `odd` is true for and that calls from entry points reach without passing another such
    /// function, in the order in which they are met, with the calls that lead there.
    fn report(&self, odd: &dyn Fn(&Fact) -> bool, warnings: &mut Vec<Diagnostic>, text: impl Fn(&str) -> String) {
        let members: HashSet<u32> = self.members.iter().copied().collect();
        let entries = self.entries.iter().filter_map(|entry| self.graph.number(entry.function.as_value()));
        let mut queue: Vec<u32> = entries.collect();
        let mut found_by: HashMap<u32, u32> = queue.iter().map(|&entry| (entry, entry)).collect();
        let mut next = 0;
        while let Some(&user) = queue.get(next) {
            next += 1;
            for &used in self.graph.needs(user).iter().filter(|used| members.contains(used)) {
                if found_by.contains_key(&used) {
                    continue;
                }
                found_by.insert(used, user);
                if self.facts.said.get(&used).is_some_and(odd) {
                    let message = text(&symbol_name(&self.graph.global(used).name()));
                    warnings.push(self.with_calls(Diagnostic::warning(message).code(WARNING), used, &found_by));
                } else {
                    queue.push(used);
                }
            }
        }
    }

    /// Adds how an entry point comes to call `function`.
    fn with_calls(&self, mut warning: Diagnostic, function: u32, found_by: &HashMap<u32, u32>) -> Diagnostic {
        let name = |number: u32| symbol_name(&self.graph.global(number).name());
        let mut at = function;
        while let Some(&user) = found_by.get(&at).filter(|&&user| user != at) {
            let symbol = self.graph.global(user).name();
            // Only entry points were not found by others.
            let is_entry = found_by.get(&user) == Some(&user);
            let is_kernel = self.graph.global(user).as_function().is_some_and(Function::is_kernel);
            let caller = match (is_entry, is_kernel) {
                (true, true) => format!("kernel '{}'", kernel_name(&symbol)),
                (true, false) => format!("exported function '{}'", name(user)),
                (false, _) => format!("'{}'", name(user)),
            };
            let note = format!("'{}' is called by {caller}", name(at));
            warning = match self.rows.get(&symbol) {
                Some(launch) => warning.note_at(Location::new(&launch.file, launch.line, launch.column), note),
                None => warning.note(note),
            };
            at = user;
        }
        warning
    }
}
