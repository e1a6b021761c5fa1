//! Computes the requirements of an image, and warns about functions that require more than the
//! kernels that call them declare.
//!
//! Inside a translation unit, the requirements of a caller include those of its callees. A
//! `SYCL_EXTERNAL` function of another unit may use features that its declaration does not list, or
//! may be compiled for other fixed targets. The image requires these features, too, and the link
//! warns. The warning names the first function on the way from an entry point that has an
//! undeclared requirement, and not the functions behind it.
//!
//! Code that only branches of `if_device_has` reach is required only of the devices that take these
//! branches ([`crate::demands`]), without a warning.

use crate::demands::Demands;
use crate::group::EntryPoint;
use crate::name::{kernel_name, symbol_name};
use scythe_abi::aspect::Aspect;
use scythe_abi::condition::Condition;
use scythe_abi::launch::KernelLaunch;
use scythe_diag::warning::Group;
use scythe_diag::{Code, Diagnostic, Location};
use scythe_llvm::{Function, GlobalGraph, Module};
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::aspects::requirements::Requirements;
use scythe_passes::device_has;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The facts about the functions of a module, by their numbers in its graph. Functions without
/// facts are absent.
pub struct Facts {
    said: BTreeMap<u32, Fact>,
    /// The functions that only some devices call, with the condition.
    conditions: HashMap<u32, Condition>,
}

pub struct Fact {
    /// The aspects that the function uses and those that it declares.
    pub aspects: BTreeSet<u32>,
    /// The sub-group sizes of the function and of its callees in its unit, each with the symbol of
    /// a function that requires it.
    pub sub_group_sizes: BTreeMap<u32, String>,
    /// The fixed targets. Empty for a function that was compiled without fixed targets, and `None`
    /// if they are not known.
    fixed_targets: Option<BTreeSet<String>>,
}

impl Facts {
    pub fn new(module: &Module<'_>, graph: &GlobalGraph<'_>, kinds: Kinds) -> Self {
        let (mut said, mut conditions) = (BTreeMap::new(), HashMap::new());
        for function in module.functions().filter(|function| !function.is_intrinsic()) {
            let Some(number) = graph.number(function.as_value()) else { continue };
            conditions.extend(device_has::condition(function).map(|condition| (number, condition)));
            let mut aspects = kinds.used(function);
            aspects.extend(kinds.declared(function).unwrap_or_default());
            let sub_group_sizes = kinds.sub_group_sizes(function);
            let fixed_targets = kinds.fixed_targets(function);
            if !aspects.is_empty() || !sub_group_sizes.is_empty() || fixed_targets.is_some() {
                said.insert(number, Fact { aspects, sub_group_sizes, fixed_targets });
            }
        }
        Self { said, conditions }
    }

    pub fn all(&self) -> impl Iterator<Item = (u32, &Fact)> {
        self.said.iter().map(|(number, fact)| (*number, fact))
    }

    /// Returns the condition on which devices call the function, or `None` if all may.
    pub fn condition(&self, function: u32) -> Option<&Condition> {
        self.conditions.get(&function)
    }
}

/// An image whose members are known.
pub struct Bundle<'a, 'ctx> {
    pub graph: &'a GlobalGraph<'ctx>,
    pub facts: &'a Facts,
    /// The entry points. The list is not empty, and all of them may share an image.
    pub entries: &'a [&'a EntryPoint<'ctx>],
    /// All functions and variables in the image, in ascending order.
    pub members: &'a [u32],
    pub rows: &'a HashMap<String, KernelLaunch>,
}

impl Bundle<'_, '_> {
    /// Returns the requirements of the image and the warnings about them.
    pub fn requirements(&self) -> (Demands, Vec<Diagnostic>) {
        let mut all = Demands::together(self.entries.iter().map(|entry| &entry.demands));
        let mut warnings = Vec::new();
        let members = self.always_reached();
        let Self { graph, facts, entries, rows, .. } = *self;
        let reached = Bundle { graph, facts, entries, members: &members, rows };
        match all.always.fixed_targets.clone() {
            Some(targets) => reached.fixed_targets(&targets, &mut all.always, &mut warnings),
            None => reached.features(&all.always, &mut warnings),
        }
        (all, warnings)
    }

    /// Returns the members that entry points reach without a conditional branch of `if_device_has`.
    fn always_reached(&self) -> Vec<u32> {
        if self.facts.conditions.is_empty() {
            return self.members.to_vec();
        }
        let entries =
            self.entries.iter().filter_map(|entry| self.graph.number(entry.function.as_value()));
        let mut work: Vec<u32> = entries.collect();
        let mut reached: BTreeSet<u32> = work.iter().copied().collect();
        while let Some(user) = work.pop() {
            let needs = self
                .graph
                .needs(user)
                .iter()
                .filter(|used| !self.facts.conditions.contains_key(used));
            work.extend(needs.filter(|used| reached.insert(**used)));
        }
        self.members.iter().copied().filter(|member| reached.contains(member)).collect()
    }

    fn facts(&self) -> impl Iterator<Item = (u32, &Fact)> {
        self.members.iter().filter_map(|member| Some((*member, self.facts.said.get(member)?)))
    }

    /// Handles images without fixed targets: finds aspects and sub-group sizes that the entry
    /// points do not declare.
    fn features(&self, all: &Requirements, warnings: &mut Vec<Diagnostic>) {
        for &aspect in &all.aspects {
            let shown = Aspect::from_u32(aspect)
                .map_or_else(|| aspect.to_string(), |known| known.as_str().to_owned());
            let unaware = |entry: &EntryPoint<'_>| !entry.requirements.aspects.contains(&aspect);
            self.report(
                &unaware,
                &|fact| fact.aspects.contains(&aspect),
                warnings,
                |function, _| {
                    let function = symbol_name(function);
                    format!(
                        "function '{function}' uses aspect '{shown}' not expected by its calling \
                     kernel. Missing \
                     [[sycl::device_has()]] on SYCL_EXTERNAL function?"
                    )
                },
            );
        }
        for &size in &all.sub_group_sizes {
            let unaware = |entry: &EntryPoint<'_>| entry.sub_group_size != Some(size);
            self.report(
                &unaware,
                &|fact| fact.sub_group_sizes.contains_key(&size),
                warnings,
                |function, fact| {
                    let function = symbol_name(
                        fact.sub_group_sizes.get(&size).map_or(function, String::as_str),
                    );
                    format!(
                        "function '{function}' has required sub-group size '{size}' that does not \
                     match its calling kernel. \
                     Missing [[sycl::reqd_sub_group()]] attribute on SYCL_EXTERNAL function?"
                    )
                },
            );
        }
    }

    /// Handles images with fixed targets: finds functions that were compiled for others. The image
    /// keeps the targets that all functions have. A function that was compiled without fixed
    /// targets does not restrict them.
    fn fixed_targets(
        &self,
        targets: &BTreeSet<String>,
        all: &mut Requirements,
        warnings: &mut Vec<Diagnostic>,
    ) {
        let mut left = targets.clone();
        let mut differ = false;
        for (_, fact) in self.facts() {
            let Some(others) = fact.fixed_targets.as_ref().filter(|others| *others != targets)
            else {
                continue;
            };
            differ = true;
            if !others.is_empty() {
                left.retain(|target| others.contains(target));
            }
        }
        if differ {
            let odd =
                |fact: &Fact| fact.fixed_targets.as_ref().is_some_and(|others| others != targets);
            self.report(&|_| true, &odd, warnings, |function, _| {
                let function = symbol_name(function);
                format!(
                    "function '{function}' compiled with a different `-fsycl-fixed-targets` switch \
                     than its calling kernel."
                )
            });
        }
        all.fixed_targets = Some(left);
    }

    /// Warns about each function for which `odd` is true, if calls from entry points that are
    /// `unaware` reach it without passing another such function. The warnings come in the order of
    /// the search, with the calls that lead to the function.
    fn report(
        &self,
        unaware: &dyn Fn(&EntryPoint<'_>) -> bool,
        odd: &dyn Fn(&Fact) -> bool,
        warnings: &mut Vec<Diagnostic>,
        text: impl Fn(&str, &Fact) -> String,
    ) {
        let entries = self.entries.iter().filter(|entry| unaware(entry));
        let mut queue: Vec<u32> =
            entries.filter_map(|entry| self.graph.number(entry.function.as_value())).collect();
        if queue.is_empty() {
            return;
        }
        let members: HashSet<u32> = self.members.iter().copied().collect();
        let mut found_by: HashMap<u32, u32> = queue.iter().map(|&entry| (entry, entry)).collect();
        let mut next = 0;
        // The call was inlined before the link.
        queue.retain(|entry| {
            let fact = self.facts.said.get(entry).filter(|fact| odd(fact));
            if let Some(fact) = fact {
                let symbol = self.graph.global(*entry).name();
                let warning =
                    Diagnostic::warning(text(&symbol, fact)).code(Code::Warning(Group::External));
                let note = format!("it is called by kernel '{}'", kernel_name(&symbol));
                warnings.push(self.noted(warning, &symbol, note));
            }
            fact.is_none()
        });
        while let Some(&user) = queue.get(next) {
            next += 1;
            for &used in self.graph.needs(user).iter().filter(|used| members.contains(used)) {
                if found_by.contains_key(&used) {
                    continue;
                }
                found_by.insert(used, user);
                if let Some(fact) = self.facts.said.get(&used).filter(|fact| odd(fact)) {
                    let message = text(&self.graph.global(used).name(), fact);
                    warnings.push(self.with_calls(
                        Diagnostic::warning(message).code(Code::Warning(Group::External)),
                        used,
                        &found_by,
                    ));
                } else {
                    queue.push(used);
                }
            }
        }
    }

    /// Adds notes with the calls that lead from an entry point to `function`.
    fn with_calls(
        &self,
        mut warning: Diagnostic,
        function: u32,
        found_by: &HashMap<u32, u32>,
    ) -> Diagnostic {
        let name = |number: u32| symbol_name(&self.graph.global(number).name());
        let mut at = function;
        while let Some(&user) = found_by.get(&at).filter(|&&user| user != at) {
            let symbol = self.graph.global(user).name();
            // Only entry points have no caller in this search.
            let is_entry = found_by.get(&user) == Some(&user);
            let is_kernel = self.graph.global(user).as_function().is_some_and(Function::is_kernel);
            let caller = match (is_entry, is_kernel) {
                (true, true) => format!("kernel '{}'", kernel_name(&symbol)),
                (true, false) => format!("exported function '{}'", name(user)),
                (false, _) => format!("'{}'", name(user)),
            };
            warning = self.noted(warning, &symbol, format!("'{}' is called by {caller}", name(at)));
            at = user;
        }
        warning
    }
    /// Adds a note. If `symbol` is a kernel, the note has the kernel's location.
    fn noted(&self, warning: Diagnostic, symbol: &str, note: String) -> Diagnostic {
        match self.rows.get(symbol) {
            Some(launch) => {
                warning.note_at(Location::new(&launch.file, launch.line, launch.column), note)
            }
            None => warning.note(note),
        }
    }
}
