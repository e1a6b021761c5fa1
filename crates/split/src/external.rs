//! What an image requires once it is put together, and functions that require more than the kernels
//! which call them say.
//!
//! Inside of a translation unit callers list what they call uses. A `SYCL_EXTERNAL` function of
//! another unit may use what its declaration does not tell, or be compiled for other fixed targets:
//! the image requires that, too, and there is a warning. It is about the function at which the
//! calls from an entry point first meet what was not expected, not about all behind it.
//!
//! What only the branches of `if_device_has` reach is required of the devices that take them
//! ([`crate::demands`]), without a warning.

use crate::demands::Demands;
use crate::group::EntryPoint;
use crate::name::{kernel_name, symbol_name};
use scythe_abi::aspect::Aspect;
use scythe_abi::condition::Condition;
use scythe_abi::launch::KernelLaunch;
use scythe_abi::warning::Group;
use scythe_diag::{Diagnostic, Location};
use scythe_llvm::{Function, GlobalGraph, Module};
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::aspects::requirements::Requirements;
use scythe_passes::device_has;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What the functions of a module say of themselves, by their numbers in its graph; only those that
/// say something.
pub struct Facts {
    said: BTreeMap<u32, Fact>,
    /// Functions that only some devices call.
    conditions: HashMap<u32, Condition>,
}

pub struct Fact {
    /// Used and declared.
    pub aspects: BTreeSet<u32>,
    /// Its own, and those of functions of its unit that it calls, each with the symbol of one that
    /// requires it.
    pub sub_group_sizes: BTreeMap<u32, String>,
    /// Empty for a function that was compiled without fixed targets, `None` where nobody knows.
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

    /// Which devices call the function; `None` where all may.
    pub fn condition(&self, function: u32) -> Option<&Condition> {
        self.conditions.get(&function)
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

    /// The members that entry points reach without a branch that only some devices take.
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

    /// Without fixed targets: aspects and sub-group sizes that the entry points do not know of.
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

    /// With fixed targets: functions that were compiled with others. Where all of them run is left;
    /// one that was compiled without any promises nothing, and takes nothing away.
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

    /// One warning for each function that `odd` is true for and that calls from entry points which
    /// are `unaware` reach without passing another such function, in the order in which they are
    /// met, with the calls that lead there.
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
        // A call that was inlined before the link.
        queue.retain(|entry| {
            let fact = self.facts.said.get(entry).filter(|fact| odd(fact));
            if let Some(fact) = fact {
                let symbol = self.graph.global(*entry).name();
                let warning =
                    Diagnostic::warning(text(&symbol, fact)).code(Group::External.option());
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
                        Diagnostic::warning(message).code(Group::External.option()),
                        used,
                        &found_by,
                    ));
                } else {
                    queue.push(used);
                }
            }
        }
    }

    /// Adds how an entry point comes to call `function`.
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
            // Only entry points were not found by others.
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
    /// Adds a note, at the place of the kernel where `symbol` is one.
    fn noted(&self, warning: Diagnostic, symbol: &str, note: String) -> Diagnostic {
        match self.rows.get(symbol) {
            Some(launch) => {
                warning.note_at(Location::new(&launch.file, launch.line, launch.column), note)
            }
            None => warning.note(note),
        }
    }
}
